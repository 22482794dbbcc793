import asyncio
import contextlib
import json
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from subsessiond.adapters.processes import LinuxProcesses
from subsessiond.adapters.runners.acp.runner import AcpRunner
from subsessiond.adapters.runners.agentprocess import Host
from subsessiond.model.commands import (
    ConfirmStart,
    EndChild,
    EndTurn,
    FailStart,
    NoteProcess,
    NoteSign,
)
from subsessiond.model.effects import StopChild
from subsessiond.model.node import Node, Phase, Status
from subsessiond.model.role import AgentProfile, Channel
from subsessiond.ports import RunningChild
from tests.support.stage import Stage
from tests.support.transcripts import ListedTranscripts

ROOT = Path(__file__).parents[5]


class Acting:
    """One child played by the stub agent, run as the executor runs it."""

    def __init__(self, here: Stage, child: RunningChild, node: Node) -> None:
        self.here = here
        self.child = child
        self.node_id = node.node_id
        self.running = asyncio.ensure_future(child.run())

    @property
    def node(self) -> Node:
        """The child as it stands."""
        return self.here.node(self.node_id)

    def heard(self) -> list[dict[str, Any]]:
        """Give what the agent wrote down."""
        log = self.here.folder / f".agent-{self.node_id}.jsonl"
        return [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []

    async def over(self) -> Any:
        """Wait for the end of the run; gives how the child settled."""
        async with asyncio.timeout(20):
            await self.running
        await self.here.settled_queue()
        return self.node.settlement

    async def until(self, holds: Callable[[], bool]) -> None:
        """Wait until something is so; what an agent does in its process cannot be waited for."""
        async with asyncio.timeout(20):
            while not holds():  # noqa: ASYNC110
                await asyncio.sleep(0.005)


Act = Callable[..., Awaitable[Acting]]


@pytest.fixture
async def act(here: Stage, processes: LinuxProcesses) -> AsyncIterator[Act]:
    """Run children of the stub agent; what is left of them is stopped."""
    host = Host(processes, ListedTranscripts(), ("shim",), "/s", here.folder.parent / "scratch")
    runner, made = AcpRunner(host), []

    async def begin(*turns: Any, owns: tuple[str, ...] = (), **script: Any) -> Acting:
        words = json.dumps(script | {"turns": [list(turn) for turn in turns]})
        fields = script.pop("profile", {"channel": Channel.CLI})
        profile = AgentProfile(
            name="actor",
            runner="acp",
            command=(sys.executable, "-m", "tests.support.agents.acp_agent", words),
            **fields,
        )
        env = (*here.environment().items(), ("PYTHONPATH", str(ROOT)))
        order = await here.order(profile, env, role="worker", owns=owns)
        acting = Acting(here, runner.start(order, here.voice), order.node)
        made.append(acting)
        return acting

    yield begin
    for acting in made:
        await acting.child.stop(hurry=True)
        with contextlib.suppress(asyncio.CancelledError):
            acting.running.cancel()
            await acting.running


async def test_it_comes_up_and_ends_its_turn(here: Stage, act: Act) -> None:
    """Who it is, that it is up, that it works, that its turn ended: each is told, in this order."""
    acting = await act([{"update": {"sessionUpdate": "plan"}}])
    await acting.until(lambda: bool(here.told(EndTurn)))
    mine = (NoteProcess, ConfirmStart, NoteSign, EndTurn)
    kinds = dict.fromkeys(type(told) for told in here.voice.told if isinstance(told, mine))
    assert tuple(kinds) == mine
    assert acting.node.status is Status.RUNNING
    stopped = await acting.child.stop()
    assert (stopped.forced, stopped.leftovers) == (False, ())
    assert await acting.child.stop() == stopped
    assert acting.heard()[-1] == {"got": "end of input"}


async def test_what_is_said_and_steered_reaches_it(here: Stage, act: Act) -> None:
    """A question after the turn is the next prompt."""
    acting = await act([], [{"touch": "asked"}])
    await acting.until(lambda: bool(here.told(EndTurn)))
    assert await acting.child.prompt(None, "And now?")
    await acting.until((here.folder / "asked").exists)
    prompts = [entry["got"] for entry in acting.heard() if "got" in entry]
    assert prompts[-1]["params"]["prompt"] == [{"type": "text", "text": "And now?"}]


@pytest.mark.parametrize(
    ("script", "why"),
    [
        ({"initialize": {"result": {"protocolVersion": 9}}}, "version 1 of ACP"),
        ({"session/new": {"error": {"code": -32000, "message": "x"}}}, "wants a login first"),
        ({"start": [{"print": "only\ntext\n"}, {"exit": 4}]}, "exited with status 4 before"),
        ({"before session/new": [{"kill": 9}]}, "signal 9 (SIGKILL) before it was up"),
    ],
)
async def test_an_agent_that_does_not_come_up_is_a_failed_start(
    here: Stage, act: Act, script: Any, why: str
) -> None:
    """Why stands there in our words, and what it printed is for the operator."""
    acting = await act(**script)
    settled = await acting.over()
    (failed,) = here.told(FailStart)
    assert why in failed.why
    assert settled.reason == "start-failed"
    assert here.told(ConfirmStart) == []
    if "status 4" in why:
        assert "no protocol: only\ntext" in settled.diagnostic
        assert "only" not in failed.why


async def test_it_is_up_once_it_has_listed_our_tools(here: Stage, act: Act) -> None:
    """An open session alone is not enough for an agent that reports through them."""
    acting = await act(profile={"mcp_servers": False})
    await acting.until(lambda: "session/new" in str(acting.heard()))
    assert here.told(ConfirmStart) == []
    here.channels.note(acting.node_id)
    await acting.until(lambda: bool(here.told(ConfirmStart)))


async def test_an_agent_that_dies_before_it_lists_our_tools_is_a_failed_start(
    here: Stage, act: Act
) -> None:
    """Nothing waits for a channel that will not be there."""
    acting = await act(profile={"mcp_servers": False}, **{"after session/new": [{"exit": 5}]})
    settled = await acting.over()
    assert settled.reason == "start-failed"
    assert "status 5" in settled.output


@pytest.mark.parametrize(
    ("steps", "reason", "words"),
    [
        ([{"error": {"code": -32603, "message": "API Error: 529"}}], "agent-error", "529"),
        ([{"stop": "refusal"}], "refusal", "refusal"),
        ([{"stop": "max_tokens"}], "max-tokens", "max_tokens"),
        ([{"stop": "max_turn_requests"}], "turn-limit", "max_turn_requests"),
        ([{"kill": 9}], "killed-by-signal", "SIGKILL) in the middle of a turn"),
        ([{"stderr": {"text": "panic!"}}, {"exit": 3}], "exit-status", "stderr: panic!"),
        ([{"exit": 0}], "ended-without-final", "status 0 in the middle"),
        ([{"close": "stdout"}, {"hang": 1}], "connection-lost", "cannot be spoken with"),
    ],
)
async def test_every_bad_end_has_its_reason(
    act: Act, steps: list[Any], reason: str, words: str
) -> None:
    """How it went is told apart, and the operator is told more."""
    settled = await (await act(steps)).over()
    assert settled.reason == reason
    assert words in settled.diagnostic
    assert settled.produced_bytes > 0
    assert settled.output == ""


async def test_an_agent_that_leaves_after_its_turn_ended_cleanly(here: Stage, act: Act) -> None:
    """Its exit is noticed between turns too, and may promote its last words."""
    acting = await act([{"quit": "go"}])
    await acting.until(lambda: bool(here.told(EndTurn)))
    (here.folder / "go").touch()
    settled = await acting.over()
    (ended,) = here.told(EndChild)
    assert (ended.reason, ended.promotes) == ("ended-without-final", True)
    assert settled.reason == "ended-without-final"


async def test_an_agent_that_does_not_listen_any_more_is_lost(here: Stage, act: Act) -> None:
    """A closed input is noticed with the next word that is said, though the agent lives."""
    acting = await act([{"close": "stdin"}, {"touch": "closed"}, {"wait_file": "go"}], stays=True)
    await acting.until((here.folder / "closed").exists)
    # Why three: a read that was under way when the input was closed still takes one of them.
    said = [asyncio.ensure_future(acting.child.prompt(None, "x")) for _ in range(3)]
    await asyncio.sleep(0)
    (here.folder / "go").touch()
    settled = await acting.over()
    assert settled.reason == "connection-lost"
    assert (await asyncio.gather(*said))[1:] == [False, False]


async def test_a_stop_cancels_the_turn_first(here: Stage, act: Act) -> None:
    """The agent is asked in its protocol, answers, and leaves when its input ends."""
    acting = await act([{"touch": "begun"}, {"until_cancel": 1}])
    await acting.until((here.folder / "begun").exists)
    stopped = await acting.child.stop()
    assert not stopped.forced
    got = [entry["got"] for entry in acting.heard() if "got" in entry]
    assert got[-2]["method"] == "session/cancel"
    assert got[-1] == "end of input"


async def test_open_calls_are_a_phase(here: Stage, act: Act) -> None:
    """A child is in a tool while a call is open."""
    call = {"toolCallId": "1", "sessionUpdate": "tool_call", "status": "pending"}
    ended = call | {"sessionUpdate": "tool_call_update", "status": "failed"}
    acting = await act([{"update": call}, {"wait_file": "go"}, {"update": ended}])
    await acting.until(lambda: acting.node.phase is Phase.IN_TOOL)
    (here.folder / "go").touch()
    await acting.until(lambda: bool(here.told(EndTurn)))
    assert here.effects(StopChild) == []
