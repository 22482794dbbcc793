"""`tree`: all nodes at a glance, once or live."""

import time
from typing import NoReturn

from subsession.cli import exits
from subsession.cli.arguments import Verbs
from subsession.cli.bell import Bell
from subsession.cli.news import News
from subsession.cli.picture import Picture, summary
from subsession.cli.session import Session, UsageProblem
from subsession.errors import SubsessionError
from subsession.mirror import Mirror

_TICK_MS = 1_000
_QUIET_MS = 25_000
_NOTHING = "no root is open: `subsession run -- make test` opens one here and runs a child"
_PACE_S = 0.1
"""Between two looks: a tree where much happens is read ten times a second, not thousands."""


def add(verbs: Verbs) -> None:
    """Add the verb."""
    parser = verbs.add(
        "tree",
        tree,
        "show all nodes, once or live",
        "Where output is no terminal, --live prints a line for each thing that happens.",
    )
    parser.add_argument("root", nargs="?", metavar="ROOT", help="only this root's tree")
    parser.add_argument("--live", action="store_true", help="until Ctrl-C")
    parser.add_argument(
        "--bell", action="store_true", help="with --live: ring when something more waits for you"
    )


def now_ms() -> float:
    """Wall clock, milliseconds since 1970."""
    return time.time() * 1_000


def tree(session: Session) -> int:
    """Show the tree once, or keep showing it."""
    if session.words.bell and not session.words.live:
        raise UsageProblem("--bell goes with --live: what stands still does not ring")
    root_id = session.node_id(session.words.root) if session.words.root else None
    mirror = Mirror(root_id)
    session.client.follow(mirror.refresh())
    if session.words.live:
        return _live(session, mirror)
    rows = list(mirror.rows.values())
    document = {"rows": rows, "seq": mirror.seq}
    text = "no children" if session.in_node else _NOTHING
    if rows and not session.voice.as_json:
        drawn = Picture(session.voice).lines(rows, now_ms())
        text = "\n".join([*drawn, summary(rows, session.voice)])
    session.voice.answer(document, text)
    return exits.OK


def _live(session: Session, mirror: Mirror) -> int:
    """Keep showing the tree until the reader has seen enough: Ctrl-C is how that is said."""
    session.client.may_start = False  # who ends the daemon meanwhile does not want it back
    try:
        if session.voice.is_terminal and not session.voice.as_json:
            _redraw(session, mirror)
        _tell_news(session, mirror)
    except KeyboardInterrupt:
        return exits.OK


def _tell_news(session: Session, mirror: Mirror) -> NoReturn:
    """Tell what happens, for as long as somebody reads it."""
    news = News(session.voice)
    bell = Bell(session.voice, wanted=session.words.bell)
    while True:
        news.tell(mirror.rows.values(), now_ms())
        bell.look(mirror.rows.values())
        time.sleep(_PACE_S)
        session.client.follow(mirror.refresh(_QUIET_MS))


def _redraw(session: Session, mirror: Mirror) -> NoReturn:
    """Draw the tree in place; keep the last good picture while no daemon answers."""
    from subsession.cli.live import Screen  # rich takes longer to load than all else together

    bell = Bell(session.voice, wanted=session.words.bell)
    with Screen(session.voice) as screen:
        while True:
            screen.show(mirror.rows.values(), now_ms())
            bell.look(mirror.rows.values())
            time.sleep(_PACE_S)
            try:
                session.client.follow(mirror.refresh(_TICK_MS))
            except SubsessionError as fault:
                screen.show(mirror.rows.values(), now_ms(), stale=str(fault).split("\n", 1)[0])
                time.sleep(_TICK_MS / 1_000)
