"""The bell: when it rings, and that it rings on a terminal alone."""

import os
import sys
from pathlib import Path

import pytest

from subsession.cli import exits, main
from subsession.cli.bell import Bell
from subsession.cli.voice import Voice
from subsession.verbs import Json
from tests.support.fake_daemon import fake_daemon
from tests.support.rows import CHILD, child_row, view
from tests.support.terminal import Terminal


class Counted(Voice):
    """A voice that counts its bells."""

    bells = 0

    def ring(self) -> None:
        """Count."""
        self.bells += 1


def counted() -> Counted:
    """Make one."""
    return Counted(sys.stdout, sys.stderr, as_json=False, environ={})


def row(name: str, **marks: object) -> Json:
    """Make a row with a name."""
    return {"nodeId": name, **marks}


def test_it_rings_once_for_whatever_more_waits() -> None:
    """Not for what waits from the beginning or is known, and once for two that come at once."""
    voice = counted()
    bell = Bell(voice, wanted=True)
    before = [row("a", blocked=True), row("b")]
    bell.look(before)
    bell.look(before)
    assert voice.bells == 0
    bell.look([row("a", blocked=True), row("b", blocked=True), row("c", leftovers=["process 7"])])
    assert voice.bells == 1
    bell.look([row("a"), row("b")])
    assert voice.bells == 1
    bell.look(before)
    assert voice.bells == 2


def test_mail_that_nobody_read_waits_until_it_is_put_aside() -> None:
    """It rings like all that waits for the person."""
    voice = counted()
    bell = Bell(voice, wanted=True)
    bell.look([row("a", unread=2, dismissed=True)])
    bell.look([row("a", unread=2)])
    assert voice.bells == 1


def test_it_rings_only_where_it_was_asked_for() -> None:
    """Without the option nothing rings."""
    voice = counted()
    bell = Bell(voice, wanted=False)
    bell.look([])
    bell.look([row("a", blocked=True)])
    bell.ring()
    assert voice.bells == 0


@pytest.mark.parametrize(("words", "bells"), [(("--bell",), 1), ((), 0), (("--bell", "--json"), 0)])
def test_waiting_ends_with_a_bell_on_a_terminal(
    path: Path, words: tuple[str, ...], bells: int
) -> None:
    """`wait --bell` rings when it is over, unless a program reads."""
    order = (sys.executable, "-m", "subsession", "wait", CHILD, *words)
    with (
        fake_daemon(path, {"subsession.node": view(child_row("completed"))}),
        Terminal(*order, env=os.environ) as terminal,
    ):
        assert terminal.end() == exits.OK
    assert terminal.seen.count("\a") == bells


def test_the_live_tree_rings_when_something_blocks(path: Path) -> None:
    """`tree --live --bell` rings when a child enters the queue."""

    def growing(params: Json) -> Json:
        if params.get("sinceSeq") is None:
            return {"rows": [child_row(None)], "seq": 8, "resync": False}
        return {"rows": [{**child_row("blocked"), "blocked": True}], "seq": 9, "resync": False}

    order = (sys.executable, "-m", "subsession", "tree", "--live", "--bell")
    with (
        fake_daemon(path, {"subsession.tree": growing}),
        Terminal(*order, env={**os.environ, "TERM": "xterm"}) as terminal,
    ):
        terminal.wait_for("\a")
        terminal.press("\x03")
        assert terminal.end() == exits.OK
    assert terminal.seen.count("\a") == 1


def test_what_stands_still_does_not_ring(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Without --live the option is refused, and where output is no terminal nothing rings."""
    with fake_daemon(path, {"subsession.node": view(child_row("completed"))}):
        assert main(["tree", "--bell"]) == exits.USAGE
        assert main(["wait", CHILD, "--bell"]) == exits.OK
    assert "\a" not in capsys.readouterr().out
