"""S31: a sweep that meets a start neither retires it nor begins a second one.

On a clock that the test moves; the runner's start takes as long as the test says.
"""

import asyncio
from pathlib import Path
from typing import Any

import msgspec
import pytest

from subsessiond.core.views.row import row_of
from subsessiond.model.commands import ConfirmStart, FailStart
from subsessiond.model.ids import NodeId
from subsessiond.model.node import Node, Status
from subsessiond.model.process import Stopped
from subsessiond.model.role import AgentProfile, Role, ToolClass
from subsessiond.ports import ChildOrder, Clock, Voice
from tests.support.clockwork import Clockwork, clockwork
from tests.support.policies import a_policy
from tests.support.trees import a_node

SILENCE_MS = 5_000
START_MS = 10_000
START_LIMIT_MS = 60_000
SLOW = Role(name="slow", tier="cheap", tools=(ToolClass.READ,), retire_timeout_ms=SILENCE_MS)
POLICY = a_policy(
    SLOW,
    agents=(AgentProfile(name="mute", runner="slow"),),
    start_timeout_ms=START_LIMIT_MS,
)
FINAL = {"report": {"output": "done", "stage": "final", "outcome": "completed"}}


class SlowChild:
    """A child whose start takes its time."""

    def __init__(self, order: ChildOrder, voice: Voice, clock: Clock, takes_ms: int) -> None:
        self._node = order.node.node_id
        self._voice = voice
        self._clock = clock
        self._takes_ms = takes_ms

    async def run(self) -> None:
        """Come up, and be quiet."""
        await self._clock.sleep(self._takes_ms)
        await self._voice.ask(ConfirmStart(node=self._node, **self._voice.now()))
        await asyncio.Event().wait()

    async def prompt(self, message_id: str | None, text: str) -> bool:
        """Hear nothing."""
        del message_id, text
        return False

    def wake(self) -> None:
        """Read nothing."""

    async def stop(self, *, hurry: bool = False) -> Stopped:
        """Be gone."""
        del hurry
        return Stopped()


class SlowRunner:
    """Counts what it starts."""

    def __init__(self) -> None:
        self.clock: Any = None
        self.takes_ms = START_MS
        self.started: list[NodeId] = []

    def start(self, order: ChildOrder, voice: Voice) -> SlowChild:
        """Begin one."""
        self.started.append(order.node.node_id)
        return SlowChild(order, voice, self.clock, self.takes_ms)


async def a_slow_one(made: Clockwork, runner: SlowRunner) -> NodeId:
    """Admit a child whose start is under way when this returns."""
    runner.clock = made.clock
    node = await made.spawn("slow")
    await made.clock.wait_sleepers(2)  # the ticker, and the start
    return node


async def a_settled_one(made: Clockwork) -> NodeId:
    """Give a child that can be succeeded."""
    node = await made.spawn("worker", FINAL)
    await made.released(node)
    return node


def poll(made: Clockwork, node: NodeId) -> dict[str, Any]:
    """Give a node's row as the tree shows it."""
    shown: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(row_of(made.node(node))))
    return shown


@pytest.mark.scenario("S31")
async def test_a_start_outlasts_sweeps_and_silence(tmp_path: Path) -> None:
    """Ten seconds of starting are neither silence nor a crash, whoever sweeps; it starts once."""
    runner = SlowRunner()
    async with clockwork(POLICY, tmp_path, slow=runner) as made:
        other = await a_settled_one(made)
        node = await a_slow_one(made, runner)
        for second in range(1, START_MS // 1_000):
            await made.pass_ms(1_000)
            if second in (6, 8):
                await made.succeed(other)  # sweeps at once; the second time it is refused
            row = poll(made, node)
            assert (row["state"], row.get("elapsedMs"), row.get("startedAt")) == (
                "claimed",
                None,
                None,
            )
        await made.pass_ms(1_000)
        await made.until(node, lambda n: n.status is Status.RUNNING)
        assert runner.started == [node]
        await made.pass_ms(SILENCE_MS)
        assert made.node(node).is_live  # its start was its first sign of life
        await made.pass_ms(2 * 5_000 + 1_000)
        assert (await made.released(node)).settlement.reason == "retired-silent"  # type: ignore[union-attr]
        assert runner.started == [node]


@pytest.mark.scenario("S31")
async def test_a_start_that_takes_too_long_fails_once(tmp_path: Path) -> None:
    """Past the limit of starts the node fails by that rule, once, and a late start is not heard."""
    runner = SlowRunner()
    runner.takes_ms = 10 * START_LIMIT_MS
    async with clockwork(POLICY, tmp_path, slow=runner) as made:
        node = await a_slow_one(made, runner)
        await made.pass_ms(START_LIMIT_MS)
        assert made.node(node).status is Status.CLAIMED
        await made.pass_ms(2 * 5_000)
        failed = await made.released(node)
        assert failed.settlement is not None
        assert failed.settlement.reason == "start-timeout"
        settled = failed.settlement
        await made.registry.ask(ConfirmStart(node=node, **made.voice.now()))
        await made.registry.ask(FailStart(node=node, why="late", **made.voice.now()))
        assert made.node(node).settlement == settled
        assert runner.started == [node]
        assert poll(made, node).get("elapsedMs") is None


@pytest.mark.scenario("S31")
@pytest.mark.parametrize("stamp", [None, 0])
def test_a_missing_stamp_is_unknown(stamp: int | None) -> None:
    """A record without a start, or with one of zero, has no elapsed time: never that of 1970."""
    node: Node = a_node(2, started_at_ms=stamp, settled_at_ms=1_800_000_000_000)
    shown = msgspec.json.decode(msgspec.json.encode(row_of(node)))
    assert shown.get("elapsedMs") is None
    assert shown.get("startedAt") is None
