import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from subsession.connect import Place
from subsession.errors import StartFailed, Unreachable
from subsession.mcp import reach
from subsession.mcp.reach import Reach, RefusedError
from tests.support.fake_daemon import FakeDaemon, Refuse, fake_daemon

IN_NODE = {"SUBSESSION_NODE": "n"}
"""An environment in which no daemon is started."""
NOBODY = {"kind": "operator", "mayGrant": False, "why": "x"}
OPENED = {"nodeId": "n", "token": "secret", "resumed": False, "tokenCap": 1, "workspace": "/w"}
OPENS = {"workspace": "/w", "resumeDetached": True}


@pytest.fixture
def folder() -> Iterator[Path]:
    """Give a folder whose path is short enough for a socket."""
    with tempfile.TemporaryDirectory(prefix="reach-") as name:
        yield Path(name)


def reach_of(folder: Path, *names: str) -> Reach:
    """Make what reaches daemons in a folder."""
    sockets = tuple(folder / name for name in names or ("s",))
    return Reach(Place(sockets, folder), OPENS, IN_NODE)


def methods(daemon: FakeDaemon) -> list[str]:
    """Give the methods that were called."""
    return [method for method, _ in daemon.calls]


def test_the_root_is_opened_before_the_pipe(folder: Path) -> None:
    """With what it was asked for, on the socket where a daemon listens."""
    with fake_daemon(folder / "s", {"daemon.caller": NOBODY, "subsession.open": OPENED}) as daemon:
        link = reach_of(folder, "none", "s").link()
        link.send(b"x")
        assert next(link.lines()) == b"x"
        link.close()
        assert methods(daemon) == ["daemon.caller", "subsession.open"]
        assert daemon.params_of("subsession.open") == OPENS


@pytest.mark.parametrize(("platform", "shown"), [("linux", None), ("darwin", "Bearer secret")])
def test_a_token_is_shown_where_processes_are_not_known(
    folder: Path, monkeypatch: pytest.MonkeyPatch, platform: str, shown: str | None
) -> None:
    """Linux tells who calls."""
    monkeypatch.setattr("subsession.mcp.reach.sys.platform", platform)
    with fake_daemon(folder / "s", {"daemon.caller": NOBODY, "subsession.open": OPENED}) as daemon:
        link = reach_of(folder).link()
        link.close()
        assert daemon.tokens[-1] == shown


def test_a_child_opens_no_root(folder: Path) -> None:
    """It is served as what it is."""
    child = {"kind": "child", "nodeId": "n", "mayGrant": False, "why": "x"}
    with fake_daemon(folder / "s", {"daemon.caller": child}) as daemon:
        reach_of(folder).link().close()
        assert methods(daemon) == ["daemon.caller"]


def test_a_refusal_is_told_and_not_asked_for_at_once(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An agent that asks a hundred times a second costs the daemon one call of them."""
    refused: list[dict[str, Any]] = []

    def refuse(params: dict[str, Any]) -> dict[str, Any]:
        refused.append(params)
        raise Refuse(9002, "no agent is two", code="NOT_ALLOWED")

    now = [100.0]
    monkeypatch.setattr("subsession.mcp.reach.time.monotonic", lambda: now[0])
    with fake_daemon(folder / "s", {"daemon.caller": NOBODY, "subsession.open": refuse}):
        to = reach_of(folder)
        for _ in range(3):
            with pytest.raises(RefusedError) as caught:
                to.link()
            assert caught.value.error["message"] == "no agent is two"
        assert len(refused) == 1
        now[0] += reach.AGAIN_S
        with pytest.raises(RefusedError):
            to.link()
        assert len(refused) == 2


def test_a_node_starts_no_daemon(folder: Path) -> None:
    """Its daemon is the one that started it."""
    with pytest.raises(Unreachable):
        reach_of(folder).link()
    assert list(folder.iterdir()) == []


def test_what_does_not_come_up_is_waited_for_with_a_bound(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Pauses grow, and their sum has an end."""
    slept: list[float] = []
    monkeypatch.setattr("subsession.mcp.reach.time.monotonic", lambda: sum(slept))
    monkeypatch.setattr("subsession.mcp.reach.time.sleep", slept.append)

    def fail(_: Place) -> Path:
        raise Unreachable("none is running", "s")

    monkeypatch.setattr("subsession.start.start_daemon", fail)
    with pytest.raises(Unreachable):
        Reach(Place((folder / "s",), folder), OPENS, {}).link()
    assert slept[:3] == [0.05, 0.1, 0.2]
    assert sum(slept) <= reach.LIMIT_S


@pytest.mark.parametrize(
    ("said", "tries"),
    [("subsessiond: another daemon (process 7, it says) serves /s", 8), ("agents.toml: no", 1)],
)
def test_a_start_is_tried_again_where_another_daemon_is_about_to_end(
    folder: Path, monkeypatch: pytest.MonkeyPatch, said: str, tries: int
) -> None:
    """What is wrong with the settings is told at once."""
    slept: list[float] = []
    monkeypatch.setattr("subsession.mcp.reach.time.monotonic", lambda: sum(slept))
    monkeypatch.setattr("subsession.mcp.reach.time.sleep", slept.append)
    monkeypatch.setattr("subsession.mcp.reach.LIMIT_S", 5.0)

    def fail(_: Place) -> Path:
        raise StartFailed("it ended at once", "/log", ("x", said))

    monkeypatch.setattr("subsession.start.start_daemon", fail)
    with pytest.raises(StartFailed, match="it ended at once"):
        Reach(Place((folder / "s",), folder), OPENS, {}).link()
    assert len(slept) + 1 == tries
