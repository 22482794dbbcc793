"""`plan`: a graph of briefs from a file, carried out as one child."""

import json
import sys
from pathlib import Path

from subsession.cli import exits
from subsession.cli.arguments import Verbs, amount, seconds
from subsession.cli.session import Session, UsageProblem
from subsession.cli.spawn import parent_here, tell_admitted
from subsession.text import cut
from subsession.verbs import Json

_NOTE = """\
The file is JSON or TOML: `steps`, by their names, each with a `role`, a `brief`, and `after`, a
list of steps that have to be completed first. A mission may say {{survey.output}}: it waits for the
step `survey` then, and is told what that reported. Known are output, outcome, files, blockers,
openQuestions, sections.NAME of a required section, and structured.WORD of a schema. `report`, with
the same fields, is what the parent is told in the end.

    [steps.survey]
    role = "reader"
    brief.mission = "Which files of src/ handle dates? Report their paths."

    [steps.mend]
    role = "worker"
    brief.mission = "Mend the time zones in these files: {{survey.output}}"
    brief.ownedGlobs = ["src/**"]

Everything is checked before anything starts. Steps that wait for nobody run side by side, under the
same limits as any children. One that was stopped goes on with `subsession succeed`: what was
completed stays."""


def add(verbs: Verbs) -> None:
    """Add the verb."""
    parser = verbs.add("plan", plan, "carry out a graph of briefs as one child", _NOTE)
    parser.add_argument("file", metavar="FILE", help="JSON or TOML; - reads JSON from stdin")
    parser.add_argument("--parent", metavar="NODE")
    parser.add_argument("--role", help="another role whose agent is a plan; default: plan")
    parser.add_argument("--title", help="default: the name of the file")
    parser.add_argument("--token-cap", type=amount, metavar="N", help="default: what steps need")
    parser.add_argument("--report-tokens", type=amount, metavar="N", help="size of its report")
    parser.add_argument("--key", help="the same key and plan give the same node")
    parser.add_argument("--check", action="store_true", help="run all checks, start nothing")
    parser.add_argument("--wait", action="store_true", help="until it settles; exit by outcome")
    parser.add_argument("--timeout", type=seconds, metavar="S", help="wait at most")


def plan(session: Session) -> int:
    """Carry out a plan."""
    words = session.words
    found = _read(words.file)
    admitted = session.client.plan(
        found,
        parent_id=parent_here(session),
        role=words.role,
        title=words.title or (None if words.file == "-" else cut(Path(words.file).stem, 60)),
        token_cap=words.token_cap,
        max_report_tokens=words.report_tokens,
        idempotency_key=words.key,
        check_only=words.check or None,
    )
    if words.check:
        session.voice.answer(admitted, "it would be admitted; nothing was started")
        return exits.OK
    return tell_admitted(session, admitted)


def _read(name: str) -> Json:
    """Read a plan from a file, or from standard input for `-`.

    Raises:
        UsageProblem: it cannot be read.
    """
    try:
        if name.endswith(".toml"):
            import tomllib

            return tomllib.loads(Path(name).read_text("utf-8"))
        found = json.loads(sys.stdin.read() if name == "-" else Path(name).read_text("utf-8"))
    except (OSError, ValueError) as fault:
        raise UsageProblem(f"cannot read the plan {cut(name, 60)!r}: {fault}") from fault
    if not isinstance(found, dict):
        raise UsageProblem(f"the plan {cut(name, 60)!r} is no object")
    return found
