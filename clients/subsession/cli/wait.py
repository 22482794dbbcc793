"""`wait`: until nodes have settled; the exit code says how."""

from subsession.cli import exits
from subsession.cli.arguments import Verbs, seconds
from subsession.cli.bell import Bell
from subsession.cli.facts import is_live
from subsession.cli.letters import settled_text
from subsession.cli.session import SHORT, Session
from subsession.mirror import Mirror, wait_settled
from subsession.text import one_line


def add(verbs: Verbs) -> None:
    """Add the verb."""
    parser = verbs.add("wait", wait, "wait until nodes have settled; exit by outcome", exits.LEGEND)
    parser.add_argument("nodes", nargs="+", metavar="NODE")
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--any", action="store_true", help="until the first has settled")
    which.add_argument("--all", action="store_true", help="until all have (the default)")
    parser.add_argument("--timeout", type=seconds, metavar="S", help="at most so long")
    parser.add_argument("--bell", action="store_true", help="ring the terminal's bell at the end")


def wait(session: Session) -> int:
    """Wait for the nodes named."""
    names = [session.node_id(text) for text in session.words.nodes]
    words = session.words
    code = wait_for(session, names, any_of=words.any, timeout_s=words.timeout)
    Bell(session.voice, wanted=words.bell).ring()
    return code


def wait_for(session: Session, names: list[str], *, any_of: bool, timeout_s: float | None) -> int:
    """Wait for nodes, tell how each ended, and give the exit code."""
    mirror = Mirror()
    # Why ask for each first: one of a closed root has no row, and an unknown one is refused.
    settled = {name for name in names if not is_live(session.client.node(name)["row"])}
    waiting = [name for name in names if name not in settled]
    if waiting and not (any_of and settled):
        timeout_ms = None if timeout_s is None else int(timeout_s * 1_000)
        try:
            session.client.follow(
                wait_settled(mirror, waiting, any_of=any_of, timeout_ms=timeout_ms)
            )
        except KeyboardInterrupt:
            session.voice.note("you stopped waiting; what you waited for goes on")
            raise
        settled.update(filter(mirror.is_settled, waiting))
    return _tell(session, names, settled, any_of=any_of)


def _tell(session: Session, names: list[str], settled: set[str], *, any_of: bool) -> int:
    codes = []
    for name in names:
        if name not in settled:
            continue
        view = session.client.node(name)
        session.voice.answer(view, settled_text(view, session.voice))
        codes.append(exits.BY_OUTCOME.get(str(view["row"].get("outcome")), exits.FAILED))
    late = [name for name in names if name not in settled]
    if late and not (any_of and codes):
        short = " ".join(one_line(name[-SHORT:]) for name in late)
        session.voice.trouble(
            f"still live after {session.words.timeout:g} s: {short}\n"
            f"  `subsession wait {short}` waits on; `subsession cancel NODE` stops one",
            {"code": "TIMEOUT", "nodes": late},
        )
        return exits.TIMEOUT
    return max(codes)
