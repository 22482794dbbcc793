import asyncio
import contextlib
import json
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from subsessiond.adapters.processes import LinuxProcesses
from subsessiond.adapters.runners.agentprocess import Host
from subsessiond.adapters.runners.claude.runner import ClaudeRunner
from subsessiond.model.commands import (
    ConfirmStart,
    EndChild,
    EndTurn,
    FailStart,
    NoteProcess,
    NoteSign,
    NoteUsage,
)
from subsessiond.model.node import Node, Status
from subsessiond.model.role import AgentProfile, Channel
from subsessiond.model.usage import Usage
from subsessiond.ports import RunningChild
from tests.support.stage import Stage
from tests.support.transcripts import ListedTranscripts

ROOT = Path(__file__).parents[5]
ANSWERED = {"type": "control_response", "response": {"request_id": "stray", "subtype": "success"}}


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
    runner, made = ClaudeRunner(host), []

    async def begin(*turns: Any, owns: tuple[str, ...] = (), **script: Any) -> Acting:
        fields = script.pop("profile", {"channel": Channel.CLI})
        words = json.dumps(script | {"turns": [list(turn) for turn in turns]})
        profile = AgentProfile(
            name="actor",
            runner="claude",
            command=(sys.executable, "-m", "tests.support.agents.claude_agent", words),
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
    acting = await act([{"update": {"type": "stream_event"}}])
    await acting.until(lambda: bool(here.told(EndTurn)))
    mine = (NoteProcess, ConfirmStart, NoteSign, EndTurn)
    kinds = dict.fromkeys(type(told) for told in here.voice.told if isinstance(told, mine))
    assert tuple(kinds) == mine
    assert acting.node.status is Status.RUNNING
    assert here.told(EndTurn)[0].diagnostic == "its last words: bye"
    stopped = await acting.child.stop()
    assert (stopped.forced, stopped.leftovers) == (False, ())
    assert await acting.child.stop() == stopped
    assert acting.heard()[-1] == {"got": "end of input"}


async def test_it_is_asked_before_each_tool_from_the_start(here: Stage, act: Act) -> None:
    """Our hook is there before anything is said."""
    acting = await act([])
    await acting.until(lambda: bool(here.told(EndTurn)))
    first = acting.heard()[0]["got"]["request"]
    assert first["subtype"] == "initialize"
    (matcher,) = first["hooks"]["PreToolUse"]
    assert (matcher["matcher"], matcher["onFailure"]) == ("*", "block")


async def test_what_is_said_afterwards_begins_a_turn(here: Stage, act: Act) -> None:
    """A question after the turn is the next message."""
    acting = await act([], [{"touch": "asked"}])
    await acting.until(lambda: bool(here.told(EndTurn)))
    assert await acting.child.prompt(None, "And now?")
    await acting.until((here.folder / "asked").exists)
    assert [entry["prompt"] for entry in acting.heard() if "prompt" in entry][-1] == "And now?"


async def test_what_it_wants_to_write_is_judged_at_once(here: Stage, act: Act) -> None:
    """A file that it owns is there, another one is not, and the turn goes on."""
    acting = await act([{"write": "docs/a.md"}, {"write": "b.md"}], owns=("docs/**",))
    (here.folder / "docs").mkdir()
    await acting.until(
        lambda: any("prompt" in e and "refused" in e["prompt"] for e in acting.heard())
    )
    assert (here.folder / "docs/a.md").exists()
    assert not (here.folder / "b.md").exists()
    (refused,) = [entry["refused"] for entry in acting.heard() if "refused" in entry]
    assert "approval-required: fs write b.md" in json.dumps(refused)


async def test_what_it_used_is_told(here: Stage, act: Act) -> None:
    """Messages while they come, the whole of a turn at its end."""
    usage = {"input_tokens": 5, "output_tokens": 1}
    message = {"type": "assistant", "message": {"id": "m", "content": [], "usage": usage}}
    steps = [{"update": message}, {"usage": {"input_tokens": 5, "output_tokens": 9}}]
    acting = await act(steps)
    await acting.until(lambda: bool(here.told(EndTurn)))
    assert [told.usage for told in here.told(NoteUsage)] == [
        Usage(input=5),
        Usage(input=5, output=9),
    ]


@pytest.mark.parametrize(
    ("script", "why"),
    [
        ({"initialize": {"subtype": "error", "error": "x"}}, "answered initialize with an error"),
        ({"initialize": {"response": {"hooks_applied": False}}}, "does not ask before it uses"),
        ({"start": [{"print": "only\ntext\n"}, {"exit": 4}]}, "exited with status 4 before"),
        ({"before initialize": [{"kill": 9}]}, "signal 9 (SIGKILL) before it was up"),
        ({"start": [{"close": "stdin"}, {"exit": 0}]}, "exited with status 0 before it was up"),
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
        assert "only" in settled.diagnostic


async def test_one_that_goes_before_it_listed_our_tools_failed_to_start(
    here: Stage, act: Act
) -> None:
    """It is not prompted before."""
    acting = await act(profile={}, **{"after initialize": [{"kill": 9}]})
    await acting.over()
    (failed,) = here.told(FailStart)
    assert "signal 9 (SIGKILL) before it was up" in failed.why
    assert not [entry for entry in acting.heard() if "prompt" in entry]


async def test_it_is_up_once_it_has_listed_our_tools(here: Stage, act: Act) -> None:
    """Whose listing is seen elsewhere."""
    acting = await act([], profile={})
    here.channels.note(acting.node_id)
    await acting.until(lambda: bool(here.told(EndTurn)))
    assert len(here.told(ConfirmStart)) == 1


@pytest.mark.parametrize(
    ("steps", "reason"),
    [
        ([{"exit": 0}], "ended-without-final"),
        ([{"exit": 3}], "exit-status"),
        ([{"kill": 9}], "killed-by-signal"),
        ([{"close": "stdout"}, {"hang": 1}], "connection-lost"),
        ([{"result": {"is_error": True, "result": "API Error: 529"}}], "agent-error"),
        ([{"result": {"subtype": "error_max_turns", "is_error": True}}], "turn-limit"),
        ([{"result": {"stop_reason": "refusal"}}], "refusal"),
    ],
)
async def test_every_end_has_its_reason(
    here: Stage, act: Act, steps: list[Any], reason: str
) -> None:
    """In the middle of a turn or by its end."""
    acting = await act(steps)
    settled = await acting.over()
    (ended,) = here.told(EndChild)
    assert (ended.reason, ended.promotes, settled.reason) == (reason, False, reason)
    assert ended.produced_bytes > 0


async def test_a_clean_end_between_turns_promotes(here: Stage, act: Act) -> None:
    """Who leaves after a turn that ended well has ended well."""
    acting = await act([{"quit": "leave"}])
    await acting.until(lambda: bool(here.told(EndTurn)))
    (here.folder / "leave").touch()
    await acting.over()
    (ended,) = here.told(EndChild)
    assert (ended.reason, ended.promotes) == ("ended-without-final", True)


async def test_noise_and_unknown_lines_change_nothing(here: Stage, act: Act) -> None:
    """Nor do answers to nothing, and each question has its answer, the last one too."""
    noise = {"print": '\ufeff== hi ==\r\n42\n[]\n{"type":"brand_new"}\n{"half": \n'}
    stray = {"update": ANSWERED}
    unknown = [{"subtype": "elicitation"}, {"subtype": "mcp_message"}]
    acting = await act([noise, stray, {"ask": unknown}, {"stop": "end_turn"}], start=[noise])
    await acting.until(lambda: bool(here.told(EndTurn)))
    (asked,) = [entry for entry in acting.heard() if "answers" in entry]
    kinds = [answer["response"]["subtype"] for answer in asked["answers"]]
    assert kinds == ["error", "error"]
    assert asked["seconds"] < 1.0


async def test_a_turn_is_interrupted_before_its_agent_is_ended(here: Stage, act: Act) -> None:
    """Then its input ends; it leaves by itself."""
    acting = await act([{"touch": "begun"}, {"until_cancel": 1}, {"hang": 1}])
    await acting.until((here.folder / "begun").exists)
    stopped = await acting.child.stop()
    assert not stopped.forced
    got = [entry["got"] for entry in acting.heard() if "got" in entry]
    assert got[-2]["request"] == {"subtype": "interrupt"}
    assert got[-1] == "end of input"


async def test_words_into_a_turn_and_mail_after_it(here: Stage, act: Act) -> None:
    """What is said in a turn is read there; a nudge without mail begins none."""
    acting = await act([{"touch": "begun"}, {"until_second": 1}])
    await acting.until((here.folder / "begun").exists)
    acting.child.wake()
    assert not await acting.child.prompt("no-such-message", "look left")
    await acting.child.stop(hurry=True)
    assert not await acting.child.prompt(None, "late")
