"""The async client against a stand-in."""

import asyncio
import socket
from pathlib import Path

import pytest

from subsession import AsyncClient, Refused, Unanswered, Unreachable, async_client
from subsession.errors import ProtocolMismatch
from subsession.mirror import Mirror
from tests.support.fake_daemon import INFO, HangUp, Json, Refuse, fake_daemon


async def test_calls_run_side_by_side(tmp_path: Path) -> None:
    """Any number of calls are under way at once, each with its own answer."""
    answers = {"subsession.node": lambda params: {"row": params["nodeId"]}}
    with fake_daemon(tmp_path / "d.sock", answers) as daemon:
        async with AsyncClient(str(daemon.path), token="t") as client:
            names = [str(n) for n in range(8)]
            found = await asyncio.gather(*map(client.node, names))
        assert [view["row"] for view in found] == names
        assert set(daemon.tokens) == {"Bearer t"}


async def test_refusals_and_broken_connections_are_told_apart(tmp_path: Path) -> None:
    """The same exceptions as the sync client's."""

    def refuse(params: Json) -> Json:
        raise Refuse(9001, "no such node", code="NOT_FOUND")

    def hang_up(params: Json) -> Json:
        raise HangUp

    answers = {"subsession.node": refuse, "subsession.steer": hang_up}
    with fake_daemon(tmp_path / "d.sock", answers) as daemon:
        async with AsyncClient(str(daemon.path)) as client:
            with pytest.raises(Refused):
                await client.node("n")
            with pytest.raises(Unanswered):
                await client.steer("n", "t")
        with pytest.raises(Unreachable):
            await client.info()


async def test_no_daemon_and_another_protocol_are_told(tmp_path: Path) -> None:
    """Nothing is left open when the client cannot be entered."""
    with pytest.raises(Unreachable):
        await AsyncClient(str(tmp_path / "none.sock")).__aenter__()
    with (
        fake_daemon(tmp_path / "d.sock", {"daemon.info": {**INFO, "protocolVersion": 2}}) as daemon,
        pytest.raises(ProtocolMismatch),
    ):
        await AsyncClient(str(daemon.path)).__aenter__()


async def test_a_mirror_is_kept_current(tmp_path: Path) -> None:
    """The steps of a mirror run on the async client too."""
    answers = {
        "subsession.tree": {
            "rows": [{"nodeId": "a", "state": "settled"}],
            "seq": 4,
            "resync": False,
        }
    }
    with fake_daemon(tmp_path / "d.sock", answers) as daemon:
        async with AsyncClient(str(daemon.path)) as client:
            mirror = Mirror()
            await client.follow(mirror.refresh())
            assert mirror.is_settled("a")
            assert mirror.seq == 4


@pytest.mark.scenario("S28")
async def test_a_daemon_that_stays_busy_is_no_lost_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing was sent while its queue of callers was full, and that is what is said."""
    path = tmp_path / "d.sock"
    monkeypatch.setattr(async_client, "BUSY_LIMIT_S", 0.05)
    monkeypatch.setattr(async_client, "choose_socket", lambda *_, **__: path)
    with socket.socket(socket.AF_UNIX) as listener, socket.socket(socket.AF_UNIX) as caller:
        listener.bind(str(path))
        listener.listen(0)
        caller.connect(str(path))
        with pytest.raises(Unreachable, match="too busy"):
            await AsyncClient(str(path)).__aenter__()
