"""Law: whatever children say and do, no answer to their parent grows with it.

A walk over every method there is, by a node, before it has children, while they live, when they
have settled and when it has settled itself; each answer is measured as it leaves the daemon.
"""

import asyncio
import json
from collections.abc import Callable, Iterator
from typing import Any, Final

import pytest
from aiohttp import ClientSession, UnixConnector, WSMsgType

from subsessiond.wire.methods import METHODS
from tests.support.daemon import Daemon
from tests.support.hostile import CONFIG, MANY, Hostile
from tests.support.rawsocket import RawSocket, Reply
from tests.support.yard import Yard

BYTES_PER_TOKEN: Final = 3
ANSWER_TOKENS: Final = 4_000
BOUNDS: Final = {"subsession.inbox": 8_000, "subsession.node": 10_000}
"""Estimated tokens of one answer, where it is not the general bound."""

NOBODY: Final = "0" * 26
WIDE: Final = "w" * 500

Params = Iterator[dict[str, Any]]


def none(_world: Hostile) -> Params:
    """Without parameters."""
    yield {}


def any_node(world: Hostile) -> Params:
    """Each kind of child, the caller itself, nobody."""
    for node in (*world.settled, *(t.node for t in world.talkers), *world.waiting[:2]):
        yield {"nodeId": node}
    yield {"nodeId": world.boss.node}
    yield {"nodeId": world.below or NOBODY}
    yield {"nodeId": NOBODY}


def opens(world: Hostile) -> Params:
    """A root, from within a node."""
    yield {"workspace": str(world.yard.workspace)}
    yield {"workspace": "/" + "x/" * 2_000, "title": "t"}


def spawns(world: Hostile) -> Params:
    """Briefs that meet claims, are wrong in hundreds of places, or are only asked about."""
    brief = {"mission": "m" * 32_000, "title": "t" * 120}
    yield {"role": "script", "brief": {**brief, "ownedGlobs": ["**"]}, "checkOnly": True}
    wide = {**brief, "ownedGlobs": ["**"] * 200}
    yield {"role": "script", "brief": wide, "allowOverlap": True, "checkOnly": True}
    broken = {f"{WIDE}{i}": i for i in range(500)} | {"ownedGlobs": ["/" + WIDE] * 200}
    yield {"role": "script", "brief": {**brief, **broken}}
    yield {"role": "n" * 128, "brief": brief}
    yield {"role": "loud", "brief": brief}
    yield {"role": "script", "brief": brief, "parentId": world.below or NOBODY}
    yield {"role": "script", "brief": {**brief, "continues": NOBODY}, WIDE: WIDE}


def plans(_world: Hostile) -> Params:
    """One that is bad in each of its many steps, one in a circle, one that is only checked."""
    bad = {"role": WIDE, "brief": {"mission": "", WIDE: 1}, "after": [WIDE] * 50}
    yield {"plan": {"steps": {f"s{i}": bad for i in range(50)}}}
    mission = "{{other.output}}" * 1_000
    names = [f"{'n' * 38}{i:02}" for i in range(50)]
    lost = {"role": WIDE, "brief": {"mission": mission}, "after": names}
    yield {"plan": {"steps": dict.fromkeys(names, lost)}}
    fine = {"role": "script", "brief": {"mission": "m"}}
    yield {"plan": {"steps": {"a": fine}}, "checkOnly": True}
    yield {"plan": WIDE, "title": WIDE}


def accepts(_world: Hostile) -> Params:
    """The operator's, from a node."""
    yield {"workspace": "/", "name": "project/x", "digest": "0" * 64}
    yield {"workspace": WIDE, "name": WIDE, "digest": WIDE}


def reports(world: Hostile) -> Params:
    """Finals that come too early, are malformed or are too large."""
    yield {"output": "o" * 100, "stage": "progress", "idempotencyKey": "k" * 128}
    if world.below:  # refused: children live
        yield {"output": "done", "stage": "final", "outcome": "completed"}
    yield {"output": "o" * 3_000_000}
    yield {"output": 1, "blockers": [1] * 4_000, **{f"{i}{WIDE}": i for i in range(30)}}


def checkpoints(_world: Hostile) -> Params:
    """A checkpoint as it may be, and two as they may not."""
    yield {"phase": "p" * 80_000, "state": "s" * 80_000, "nextStep": "n" * 80_000}
    yield {"phase": "p" * 300_000}
    yield {WIDE + str(i): i for i in range(400)}


def receipts(world: Hostile) -> Params:
    """Of every child, and of what is none."""
    for node in (*world.settled, world.boss.node, NOBODY):
        yield {"messageId": f"{node}.1"}
    yield {"messageId": "m" * 4_000}


def succeeds(world: Hostile) -> Params:
    """Of those that live, of nobody, with a mission that is too long."""
    for node in (*(t.node for t in world.talkers), *world.waiting[:1], NOBODY):
        yield {"childId": node, "mission": "m" * 40_000}


def trees(world: Hostile) -> Params:
    """Whole, in pages, and what changed."""
    yield {}
    yield {"limit": 2_000}
    yield {"after": NOBODY, "limit": 25}
    yield {"sinceSeq": 0}
    yield {"sinceSeq": 1, "limit": 2_000, "waitMs": 1}
    yield {"rootId": world.yard.root}


def inboxes(world: Hostile) -> Params:
    """All pages, a small one, and acknowledgements of what is not there."""
    yield {}
    yield {"maxTokens": 8_000, "waitMs": 1}
    yield {"maxTokens": 1}
    yield {"acknowledge": [f"{NOBODY}.{i + 1}" for i in range(1_000)]}
    for _ in range(4 * MANY):
        yield {"acknowledge": True}
    yield {"nodeId": world.yard.root}


def attaches(world: Hostile) -> Params:
    """As itself, as what its children are, as nobody, and only asked about."""
    for node in (world.boss.node, *world.settled[:1], *world.waiting[:1], NOBODY):
        yield {"nodeId": node}
        yield {"nodeId": node, "above": True}
        yield {"nodeId": node, "checkOnly": True}
    yield {}


def steers(world: Hostile) -> Params:
    """To those that hear, to those that do not, too much, and too long."""
    for node in (*world.waiting[-2:], *world.settled[:2], NOBODY):
        yield {"nodeId": node, "text": "s" * 5_900}
    yield {"nodeId": world.boss.node, "text": "s" * 2_000_000}


def cancels(world: Hostile) -> Params:
    """Of a child, of one that is gone, of many at once, of whom it may not."""
    yield {"nodeId": NOBODY}
    yield {"nodeId": world.yard.root}
    for node in (*world.settled[:2], *world.waiting[:1]):
        yield {"nodeId": node, "waitMs": 5_000}
    if world.settled and world.talkers and world.talkers[0].node in world.settled:
        yield {"nodeId": world.below, "waitMs": 20_000}


def handovers(world: Hostile) -> Params:
    """The operator's, from a node."""
    for node in (*world.settled[:1], NOBODY):
        yield {"nodeId": node, "action": "letter"}
        yield {"nodeId": node, "action": "answer", "answer": "a" * 2_000}


def journals(world: Hostile) -> Params:
    """Of its children, which are not its predecessors."""
    for node in (*world.settled[-1:], world.boss.node):
        yield {"nodeId": node, "first": 1, "limit": 1_000}


def subscriptions(_world: Hostile) -> Params:
    """Over HTTP, where nothing can be pushed."""
    yield {"afterSeq": 0}


CALLS: Final[dict[str, Callable[[Hostile], Params]]] = {
    "subsession.open": opens,
    "subsession.spawn": spawns,
    "subsession.plan": plans,
    "subsession.report": reports,
    "subsession.checkpoint": checkpoints,
    "subsession.receipt": receipts,
    "subsession.succeed": succeeds,
    "subsession.tree": trees,
    "subsession.node": any_node,
    "subsession.inbox": inboxes,
    "subsession.unread": none,
    "subsession.attach": attaches,
    "subsession.steer": steers,
    "subsession.cancel": cancels,
    "subsession.blocked": none,
    "subsession.handover": handovers,
    "subsession.dismiss": any_node,
    "subsession.release": any_node,
    "subsession.close": any_node,
    "subsession.journal": journals,
    "subsession.transcript": any_node,
    "subsession.stats": any_node,
    "subsession.acceptRole": accepts,
    "events.subscribe": subscriptions,
    "roles.list": none,
    "agents.list": none,
    "daemon.info": none,
    "daemon.caller": none,
    "daemon.health": none,
    "daemon.stats": none,
    "daemon.shutdown": none,
    "daemon.reload": none,
    "rpc.discover": none,
}
"""What a node asks of each method."""


def test_every_method_is_walked() -> None:
    """No method can be added without saying how a node would call it."""
    assert CALLS.keys() == {method.name for method in METHODS}


@pytest.mark.timeout(180)  # about a hundred children come and go, several of them real processes
def test_no_answer_to_a_node_grows_with_its_children() -> None:
    """Each answer of each method, in each state, is within its bound, and mail is not lost."""
    with Daemon(config=CONFIG) as daemon, Yard(daemon, "hostile") as yard:
        world = Hostile(yard)
        largest: dict[str, int] = {}
        walk(world, "alone", largest)
        world.fill()
        walk(world, "live", largest)
        asyncio.run(hear(world))
        world.settle()
        walk(world, "settled", largest)
        world.boss.final("failed")
        walk(world, "gone", largest)
    for name, size in sorted(largest.items(), key=lambda item: -item[1])[:12]:
        print(f"{size:>6} bytes: {name}")  # noqa: T201
    assert largest["live subsession.inbox"] > 10_000  # the walk did meet what it was to meet
    assert largest["settled subsession.node"] > 20_000
    assert largest["live subsession.tree"] > 5_000


def walk(world: Hostile, state: str, largest: dict[str, int]) -> None:
    """Call everything as the boss, and measure each answer."""
    with RawSocket(world.yard.socket, world.boss.token) as socket:
        for name, params_of in CALLS.items():
            sizes = [measured(name, socket.call(name, **p)) for p in params_of(world)]
            limit = BOUNDS.get(name, ANSWER_TOKENS) * BYTES_PER_TOKEN
            largest[f"{state} {name}"] = max(sizes)
            assert max(sizes) <= limit, f"{state}: {name} answered {max(sizes)} bytes"


def measured(name: str, reply: Reply) -> int:
    """Count the bytes of an answer; a message that comes alone counts as its reader sees it."""
    answer = reply.json
    messages: list[Any] = answer.get("result", {}).get("messages", [])
    if name != "subsession.inbox" or len(messages) != 1:
        return len(reply.body)
    text = str(messages[0]["text"])
    return len(reply.body) - len(json.dumps(text, ensure_ascii=False).encode()) + len(text.encode())


async def hear(world: Hostile) -> None:
    """Follow everything that may be heard from the beginning, and measure each notification."""
    headers = {"Authorization": f"Bearer {world.boss.token}"}
    call = {"jsonrpc": "2.0", "id": 1, "method": "events.subscribe", "params": {"afterSeq": 0}}
    heard = 0
    async with (
        asyncio.timeout(20),
        ClientSession(connector=UnixConnector(str(world.yard.socket))) as session,
        session.ws_connect("http://daemon/ws", headers=headers, max_msg_size=0) as stream,
    ):
        await stream.send_json(call)
        async for message in stream:
            assert message.type is WSMsgType.TEXT
            assert len(message.data.encode()) <= ANSWER_TOKENS * BYTES_PER_TOKEN
            heard += 1
            assert not json.loads(message.data).get("result", {}).get("resync")
            if heard > 2 * MANY:  # each child was admitted and came up
                break
