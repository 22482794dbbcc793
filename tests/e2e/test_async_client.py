"""The async client against a real daemon: calls side by side, and the stream of events."""

import asyncio
import signal

import pytest

from subsession import AsyncClient
from subsession.mirror import Mirror, wait_settled
from tests.support.daemon import Daemon


async def test_events_tell_what_happens() -> None:
    """A subscriber is told of a root and its child from admission to release."""
    with Daemon() as daemon:
        async with asyncio.timeout(25), AsyncClient(str(daemon.socket), token="") as client:
            events = client.events()
            first = await anext(events)
            root = (await client.open(str(daemon.workspace)))["nodeId"]
            brief = {"mission": "say hello"}
            child = await client.spawn("check", brief, parent_id=root, argv=["echo", "hello"])
            seen = []
            async for event in events:
                assert event["method"] == "events.event"
                seen.append((event["node"], event["row"]["state"]))
                if seen[-1] == (child["nodeId"], "released"):
                    break
            await events.aclose()
    assert first["resync"] is False
    assert seen[0] == (root, "running")
    states = [state for node, state in seen if node == child["nodeId"]]
    assert sorted(set(states), key=states.index) == ["claimed", "running", "settled", "released"]


async def test_many_children_are_waited_for_at_once() -> None:
    """Spawns run side by side, and a mirror tells when the last has settled."""
    with Daemon() as daemon:
        async with asyncio.timeout(25), AsyncClient(str(daemon.socket), token="") as client:
            root = (await client.open(str(daemon.workspace)))["nodeId"]
            brief = {"mission": "end"}
            spawned = await asyncio.gather(
                *(client.spawn("check", brief, parent_id=root, argv=["true"]) for _ in range(4))
            )
            names = [answer["nodeId"] for answer in spawned]
            mirror = Mirror(root)
            await client.follow(wait_settled(mirror, names, any_of=False, timeout_ms=20_000))
            assert all(map(mirror.is_settled, names))
            mail = (await client.inbox(node_id=root))["messages"]
    assert {message["senderSessionId"] for message in mail} == set(names)


@pytest.mark.scenario("S28")
async def test_more_calls_at_once_than_the_daemon_lets_wait_at_its_door() -> None:
    """Three times as many connections as its queue has places: each call gets its answer."""
    with Daemon() as daemon:
        async with asyncio.timeout(25), AsyncClient(str(daemon.socket), token="") as client:
            assert daemon.process is not None
            daemon.process.send_signal(signal.SIGSTOP)  # so that nobody makes room meanwhile
            calls = [asyncio.ensure_future(client.health()) for _ in range(300)]
            for _ in range(50):  # turns of the loop: all have knocked
                await asyncio.sleep(0)
            daemon.process.send_signal(signal.SIGCONT)
            answers = await asyncio.gather(*calls)
    assert all(answer["ok"] for answer in answers)
