"""`doctor`: what runs here, what is missing and what to do; with `--probe` agents are tried."""

from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from subsession.cli import exits
from subsession.cli.arguments import Verbs, seconds
from subsession.cli.session import Session, UsageProblem
from subsession.connect import listening
from subsession.text import block, one_line
from subsession.verbs import Json
from subsessiond import __version__

if TYPE_CHECKING:  # a verb that is not used loads nothing
    from subsession.doctor.findings import Finding

_NOTE = """\
With --probe each agent, or each that is named, is started for real: by a daemon of its own, in a
home of its own, with a model on this machine that does nothing but report. So it is proven that
our tools reach the model, without a key, a bill, or a change to anything of yours.
Exits with 11 where something is broken."""
_WIDTH = 15
_MARKS = {"good": ("green", "✓", "ok"), "note": ("yellow", "!", "!"), "bad": ("red", "✗", "BAD")}


def add(verbs: Verbs) -> None:
    """Add the verb."""
    parser = verbs.add("doctor", doctor, "tell what runs here and what is missing", _NOTE)
    parser.add_argument(
        "--probe", nargs="*", metavar="AGENT", help="try agents with a model on this machine"
    )
    parser.add_argument(
        "--timeout", type=seconds, default=90.0, metavar="S", help="at most, for each agent (90)"
    )


def doctor(session: Session) -> int:
    """Look at everything, and try agents where that is asked for."""
    from subsession.doctor.findings import State

    found = list(_look(session))
    if session.words.probe is not None:
        found += _probe(session)
    if session.voice.as_json:
        session.voice.answer([one.as_json() for one in found], "")
    return exits.FAILED if any(one.state is State.BAD for one in found) else exits.OK


def _look(session: Session) -> "list[Finding]":
    from concurrent.futures import ThreadPoolExecutor

    from subsession.doctor import looks
    from subsession.doctor.programs import version_of

    client = session.make_client(start=True)
    started = listening(client.place) is None
    with client:
        info = client.connect(any_protocol=True)
        who = client.caller() if info.get("version") == __version__ else None
        roles, agents = client.roles(), client.agents()
    found: list[Finding] = []

    def tell(one: "Finding") -> None:
        found.append(one)
        _say(session, one)

    for one in looks.look_at_daemon(info, started=started, client_version=__version__):
        tell(one)
    tell(looks.look_at_containers(info))
    if who is not None:
        tell(looks.look_at_caller(who))
    for one in looks.look_at_roles(roles["roles"], str(info.get("configDir", ""))):
        tell(one)
    rows = agents["agents"]
    with ThreadPoolExecutor() as pool:
        programs = sorted({str(row["program"]) for row in rows if row.get("program")})
        versions = dict(zip(programs, pool.map(version_of, programs), strict=True))
    for one in looks.look_at_agents(rows, versions.__getitem__):
        tell(one)
    return found


def _probe(session: Session) -> "list[Finding]":
    from subsession.doctor.remains import in_order
    from subsession.doctor.trial import Trial
    from subsession.doctor.verdict import judge

    with session.make_client(start=True) as client:
        info, rows = client.connect(), client.agents()["agents"]
    found = []
    with in_order():
        trial = Trial(Path(str(info["stateDir"])), Path(str(info["configDir"])))
        with closing(trial):
            for name in _chosen(session.words.probe, rows, trial.known):
                session.voice.note(f"trying {one_line(name)} …")
                one = judge(trial.run(name, session.words.timeout))
                found.append(one)
                _say(session, one)
    return found


def _chosen(named: list[str], rows: list[Json], known: object) -> list[str]:
    """Give the agents to try: those named, or all that are here and can be tried.

    Raises:
        UsageProblem: one that is named cannot be tried.
    """
    assert callable(known)
    here = {str(row["name"]): str(row.get("problem", "")) for row in rows}
    for name in named:
        if name not in here:
            names = ", ".join(one for one in here if known(one))
            raise UsageProblem(f"there is no agent {one_line(name)!r}; there are {names}")
        if not known(name):
            raise UsageProblem(f"of {one_line(name)!r} is not known how to give it another model")
        if here[name] and not here[name].startswith("the runner model"):
            raise UsageProblem(f"{one_line(name)} cannot be tried: {one_line(here[name])}")
    return named or [name for name, problem in here.items() if known(name) and not problem]


def _say(session: Session, one: "Finding") -> None:
    voice = session.voice
    if voice.as_json:
        return
    colour, mark, plain = _MARKS[str(one.state)]
    sign = voice.style(colour, mark if voice.is_unicode else plain)
    indent = " " * (_WIDTH + 3)
    first, *rest = _wrapped(block(one.said), voice.columns - len(indent)) or [""]
    voice.line(f"{sign} {one_line(one.what):<{_WIDTH}} {first}")
    for line in rest:
        voice.line(f"{indent}{line}")
    for line in _wrapped(one_line(one.next), voice.columns - len(indent)):
        voice.line(f"{indent}{voice.style('dim', line)}")


def _wrapped(text: str, width: int) -> list[str]:
    """Break lines between words; a path stays whole, so that it can be copied."""
    from textwrap import TextWrapper

    wrap = TextWrapper(width, break_long_words=False, break_on_hyphens=False).wrap
    return [part for line in text.splitlines() for part in wrap(line)]
