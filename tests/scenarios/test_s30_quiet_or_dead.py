"""S30: quiet is not dead, and noise is not alive.

On a clock that the test moves; programs and scripts are real. What agents say in their protocols
(session updates, tool calls) joins with their runners: here a script gives the same signs.
"""

import os
import signal
from pathlib import Path

import pytest

from subsessiond.model.ids import NodeId
from subsessiond.model.node import Node, Phase, Status
from subsessiond.model.report import Outcome
from subsessiond.model.role import Role, ToolClass
from tests.support.clockwork import Clockwork, clockwork
from tests.support.closing import marked
from tests.support.policies import LEAF_TOOLS, a_policy

MINUTE_MS = 60_000
SILENCE_MS = 5 * MINUTE_MS
TOOL_MS = 30 * MINUTE_MS
SWEEPS_MS = 2 * 5_000 + 1_000
"""Retiring takes two sweeps, five seconds apart."""

QUIET = Role(
    name="quiet",
    tier="strong",
    depth_cap=2,
    tools=(*LEAF_TOOLS, ToolClass.DELEGATE),
    token_cap=1_000_000,
    retire_timeout_ms=SILENCE_MS,
    tool_timeout_ms=TOOL_MS,
)
NOISY = Role(
    name="noisy",
    tier="command",
    tools=(ToolClass.READ,),
    token_cap=20_000,
    # Why this one: a program's whole run is one open call.
    tool_timeout_ms=SILENCE_MS,
)
POLICY = a_policy(QUIET, NOISY)
IN_TOOL = {"sign": {"sign": "tool-start", "phase": "in-tool"}}
WORKING = {"sign": {"sign": "session-update", "phase": "working"}}
WAITS = {"awaitPrompt": True}
NOISE = "while :; do echo keep-alive; echo noise >&2; sleep 0.05; done"


def is_live(made: Clockwork, node: NodeId) -> bool:
    """Tell whether a child holds its slot."""
    return made.node(node).is_live


def check_retired(node: Node, sign: str) -> None:
    """Look at the record of one that was silent too long: its last sign and that sign's age."""
    said = node.settlement
    assert said is not None
    assert (said.outcome, said.reason) == (Outcome.FAILED, "retired-silent")
    assert sign in said.output
    seconds = int(said.output.rpartition(", ")[2].removesuffix(" s ago"))
    assert SILENCE_MS <= seconds * 1_000 <= SILENCE_MS + SWEEPS_MS


@pytest.mark.scenario("S30")
async def test_an_open_call_may_be_quiet_for_longer(tmp_path: Path) -> None:
    """A tool call of twenty silent minutes is left alone, and ended by its own, longer limit."""
    async with clockwork(POLICY, tmp_path) as made:
        node = await made.spawn("quiet", IN_TOOL, WAITS)
        assert (await made.running(node)).phase is Phase.IN_TOOL
        await made.pass_ms(20 * MINUTE_MS)
        assert is_live(made, node)
        await made.pass_ms(TOOL_MS - 20 * MINUTE_MS - 1_000)
        assert is_live(made, node)
        await made.pass_ms(1_000 + SWEEPS_MS)
        retired = await made.released(node)
        assert retired.settlement is not None
        assert retired.settlement.reason == "retired-silent"


@pytest.mark.scenario("S30")
async def test_silence_without_a_call_is_retired_on_time(tmp_path: Path) -> None:
    """After five silent minutes, not before, a child is retired; slot, claim, children go too."""
    async with clockwork(POLICY, tmp_path) as made:
        node = await made.spawn("quiet", WORKING, WAITS, owns=("a/**",))
        await made.running(node)
        below = await made.spawn("worker", IN_TOOL, WAITS, parent=node)
        await made.running(below)
        await made.pass_ms(SILENCE_MS)
        assert is_live(made, node)
        await made.pass_ms(SWEEPS_MS)
        check_retired(await made.released(node), "session-update")
        orphan = await made.released(below)
        assert orphan.settlement is not None
        assert orphan.settlement.outcome is Outcome.ORPHANED
        assert made.registry.tree.live_total == 0
        again = await made.spawn("quiet", WORKING, WAITS, owns=("a/**",))
        await made.running(again)


@pytest.mark.scenario("S30")
async def test_noise_is_no_sign_of_life(tmp_path: Path) -> None:
    """Lines on both streams every moment put nothing off: only listed signs count."""
    async with clockwork(POLICY, tmp_path) as made:
        node = await made.spawn("noisy", argv=("sh", "-c", NOISE))
        before = await made.running(node)
        await made.pass_ms(SILENCE_MS)
        assert is_live(made, node)
        assert made.node(node).last_sign_ms == before.last_sign_ms
        await made.pass_ms(SWEEPS_MS)
        retired = await made.released(node)
        check_retired(retired, "command")
        assert marked([node]) == {}


@pytest.mark.scenario("S30")
async def test_a_death_is_noticed_at_once(tmp_path: Path) -> None:
    """A child in an open call whose process dies settles from its exit; no time has to pass."""
    async with clockwork(POLICY, tmp_path) as made:
        node = await made.spawn("check", argv=("sh", "-c", "exec sleep 600"))
        running = await made.running(node)
        assert running.phase is Phase.IN_TOOL
        assert running.identity is not None
        at_ms = made.clock.wall_ms()
        os.kill(running.identity.pid, signal.SIGKILL)
        dead = await made.released(node)
        assert dead.settlement is not None
        assert dead.settlement.reason == "killed-by-signal"
        assert dead.settled_at_ms == at_ms


@pytest.mark.scenario("S30")
async def test_a_mother_that_waits_is_not_silent(tmp_path: Path) -> None:
    """Whoever has ended its turn with a child at work stands still on every clock."""
    async with clockwork(POLICY, tmp_path) as made:
        mother = await made.spawn("quiet", WORKING, WAITS)
        await made.running(mother)
        child = await made.spawn("quiet", IN_TOOL, WAITS, parent=mother)
        await made.running(child)
        await made.steer(mother, "go on")
        await made.until(mother, lambda n: n.phase is Phase.WAITING)
        await made.pass_ms(20 * MINUTE_MS)
        assert is_live(made, mother)
        assert is_live(made, child)


@pytest.mark.scenario("S30")
async def test_a_jump_of_the_clock_is_nobodys_silence(tmp_path: Path) -> None:
    """Wall time that jumps by hours charges nobody: silence is counted in awake time alone."""
    async with clockwork(POLICY, tmp_path) as made:
        node = await made.spawn("quiet", WORKING, WAITS)
        await made.running(node)
        made.clock.turn(6 * 60 * MINUTE_MS)
        await made.pass_ms(SWEEPS_MS)
        assert is_live(made, node)
        assert made.node(node).status is Status.RUNNING
