"""`report` and `checkpoint`: a child's own words, from its own process."""

import json
import sys

from subsession import child
from subsession.cli import exits
from subsession.cli.arguments import Verbs
from subsession.cli.session import Session, UsageProblem
from subsession.text import cut, one_line
from subsession.verbs import Json


def add(verbs: Verbs) -> None:
    """Add the verbs."""
    parser = verbs.add(
        "report",
        report,
        "report to the agent that started you",
        "Report once before you finish; earlier when a finding changes what it should do next.",
    )
    parser.add_argument("output", nargs="?", help="what to say; absent or -: standard input")
    parser.add_argument(
        "--stage", choices=["progress", "finding", "final"], help="default: progress"
    )
    parser.add_argument(
        "--outcome", choices=["completed", "blocked", "failed"], help="a final needs one"
    )
    parser.add_argument("--section", action="append", metavar="NAME=TEXT", help="repeat")
    parser.add_argument("--structured", metavar="JSON")
    parser.add_argument(
        "--blocker", action="append", metavar="TEXT", help="a blocked final needs one; repeat"
    )
    parser.add_argument("--question", action="append", metavar="TEXT", help="repeat")
    parser.add_argument("--file", action="append", metavar="PATH", help="repeat")
    parser.add_argument("--end-children", action="store_true", help="end those still live")
    parser.add_argument("--key", help="repeating a call with the same key is safe")
    parser = verbs.add("checkpoint", checkpoint, "write down where you stand, for who goes on")
    parser.add_argument("--phase", required=True)
    parser.add_argument("--next-step", required=True, metavar="TEXT")
    parser.add_argument("--decision", action="append", metavar="TEXT", help="repeat")
    parser.add_argument("--file", action="append", metavar="PATH", help="repeat")
    parser.add_argument("state", nargs="?", help="where things stand; absent or -: standard input")


def _need_node(session: Session) -> None:
    """Make sure that this process belongs to a node."""
    if not session.in_node:
        raise UsageProblem("this is for a child's own process: SUBSESSION_NODE is not set here")


def _text(given: str | None) -> str:
    """Give the words given, or what stands on standard input."""
    return sys.stdin.read() if given in (None, "-") else str(given)


def report(session: Session) -> int:
    """Report to the parent."""
    _need_node(session)
    words = session.words
    found = child.report(
        _text(words.output),
        stage=words.stage,
        outcome=words.outcome,
        sections=_sections(words.section),
        structured=_structured(words.structured),
        blockers=words.blocker,
        open_questions=words.question,
        files=words.file,
        end_children=words.end_children or None,
        idempotency_key=words.key,
        client=session.make_client(start=False),
    )
    return _tell(session, found, str(found.get("text")))


def _sections(pairs: list[str] | None) -> dict[str, str] | None:
    """Read `name=text` pairs."""
    if pairs is None:
        return None
    for pair in pairs:
        if "=" not in pair:
            raise UsageProblem(f"a section is NAME=TEXT, not {cut(pair, 40)!r}")
    return dict(pair.split("=", 1) for pair in pairs)


def _structured(text: str | None) -> object:
    """Read the structured part."""
    if text is None:
        return None
    try:
        return json.loads(text)
    except ValueError as fault:
        raise UsageProblem(f"--structured is no JSON: {fault}") from fault


def checkpoint(session: Session) -> int:
    """Write down where the child stands."""
    _need_node(session)
    words = session.words
    found = child.checkpoint(
        words.phase,
        _text(words.state),
        words.next_step,
        decisions=words.decision,
        files=words.file,
        client=session.make_client(start=False),
    )
    return _tell(session, found, f"saved as {found.get('pointer')}")


def _tell(session: Session, found: Json, text: str) -> int:
    session.voice.answer(found, one_line(text))
    return exits.OK
