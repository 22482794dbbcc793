"""Each agent that speaks ACP does what its rig says, asked by a model of ours."""

import asyncio
import json
import shutil
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.support.agents.noting import noting
from tests.support.modelstub import Stub, script
from tests.support.rigs import BIN, RIGS, Refusal, Rig, Second, Speaks, Told, prepare
from tests.support.rigs.acp import ANSWER_S, Agent, run_agent

NOTE = Path(__file__).parents[1] / "support/agents/note.py"
pytestmark = [
    pytest.mark.skipif(not BIN.exists(), reason="scripts/agents has not run in this clone"),
    # A cold start of the slowest agent takes 10 s on two busy cores; each bound inside is 40 s.
    pytest.mark.timeout(120),
]
each = pytest.mark.parametrize(
    "rig",
    [
        pytest.param(rig, marks=() if rig.installed else pytest.mark.skip("not for this platform"))
        for rig in RIGS.values()
        if rig.speaks is Speaks.ACP
    ],
    ids=lambda rig: rig.name,
)


class Stage(NamedTuple):
    """An agent at work."""

    rig: Rig
    stub: Stub
    agent: Agent
    folder: Path
    notes: Path

    def report(self, output: str) -> dict[str, Any]:
        """Give the step that reports."""
        return {"call": "report", "args": {"stage": "progress", "output": output}}

    def write(self, name: str) -> dict[str, Any]:
        """Give the step that writes a file of the workspace."""
        return self.rig.write.step(path=str(self.folder / name), text="hello")

    def reported(self) -> list[str]:
        """Give what our server was told."""
        lines = self.notes.read_text().splitlines() if self.notes.exists() else []
        return [json.loads(line)["output"] for line in lines]


@asynccontextmanager
async def stage(rig: Rig, tmp_path: Path) -> AsyncIterator[Stage]:
    """Run an agent on a workspace of its own."""
    scratch, folder, notes = (tmp_path / name for name in ("home", "workspace", "notes"))
    folder.mkdir()
    server = [sys.executable, str(NOTE), str(notes)]
    program, args = server[0], json.dumps(server[1:])
    async with Stub() as stub, noting(notes) as address:
        prepared = prepare(rig, scratch, stub.url, shim_program=program, shim_args=args)
        ours: dict[str, Any] = {"command": program, "args": server[1:], "env": []}
        if rig.mcp_by_http:
            ours = {"type": "http", "url": address, "headers": []}
        async with run_agent(rig, prepared, folder, ours) as agent:
            yield Stage(rig, stub, agent, folder, notes)
    # Why here: an agent's HOME may be large, and pytest keeps the last three of each.
    shutil.rmtree(scratch, ignore_errors=True)


@each
async def test_an_agent_reports_writes_and_tells_what_it_used(rig: Rig, tmp_path: Path) -> None:
    """It is offered our tool, calls it, writes, and its figures are those it was given."""
    async with stage(rig, tmp_path) as on:
        steps = on.report("one"), on.write("a.txt"), on.report("two"), {"text": "all done"}
        answer = await on.agent.play(f"Do it. {script(*steps)}")
        assert not on.stub.faults
        assert on.reported() == ["one", "two"]
        assert (on.folder / "a.txt").read_text().strip() == "hello"
        assert answer["stopReason"] == "end_turn"
        assert "all done" in on.agent.text
        assert rig.report in on.stub.requests[-1].offered
        titles = [call["title"] for call in on.agent.asked]
        assert titles.count(rig.report_title) == (2 if rig.report_title else 0)
        assert len(titles) == titles.count(rig.report_title) + rig.asks_for_write
        assert bool(on.agent.wrote) == rig.writes_by_client
        assert read_usage(rig, answer) == count_usage(rig, on.stub)


def read_usage(rig: Rig, answer: dict[str, Any]) -> tuple[int, int] | None:
    """Give input and output as an answer tells them."""
    if rig.told is Told.QUOTA:
        count = answer["_meta"]["quota"]["token_count"]
        return count["input_tokens"], count["output_tokens"]
    usage = answer.get("usage")
    return usage and (usage["inputTokens"], usage["outputTokens"])


def count_usage(rig: Rig, stub: Stub) -> tuple[int, int] | None:
    """Give input and output as the stub told them, for what this agent tells of it."""
    told = [r.usage for r in stub.requests if r.scripted and r.usage]
    if rig.told is Told.NOTHING:
        return None
    counted = told[-1:] if rig.told is Told.LAST else told
    return sum(usage.input for usage in counted), sum(usage.output for usage in counted)


@each
async def test_a_refused_write_is_not_done(rig: Rig, tmp_path: Path) -> None:
    """What is refused is not written, and whether the turn goes on is known."""
    async with stage(rig, tmp_path) as on:
        on.agent.allow = False
        when = {"refused": [on.report("blocked"), {"text": "said so"}]}
        steps = on.write("b.txt"), on.report("went on"), {"text": "done"}
        answer = await on.agent.play(f"Do it. {script(*steps, when=when)}")
        assert (on.folder / "b.txt").exists() == (rig.refusal is Refusal.NEVER_ASKS)
        if rig.refusal is Refusal.ENDS_TURN:
            assert answer["stopReason"] in ("cancelled", "end_turn")
            assert not on.reported()
            await on.agent.play("That was refused. Report it.")
            assert on.reported() == ["blocked"]
        else:
            assert on.reported() == ["went on"]
        assert not on.stub.faults


@each
async def test_a_second_prompt_meets_a_running_turn(rig: Rig, tmp_path: Path) -> None:
    """What comes in the middle of a turn is merged, queued, refused, or ends the turn."""
    async with stage(rig, tmp_path) as on:
        # Why more after it: it is heard between two steps, and an adapter has its own way to go.
        later = [on.report(str(number)) for number in range(4)]
        steps = on.report("a"), {**on.report("b"), "wait": "middle"}, *later, {"text": "first"}
        first = on.agent.prompt(f"One. {script(*steps)}")
        await on.stub.wait_held("middle")
        second = on.agent.prompt(f"Two-zebra. {script({'text': 'second'})}")
        await on.agent.catch_up()
        on.stub.release("middle")
        assert await meet(on, first, second) == rig.second


async def meet(on: Stage, first: Any, second: Any) -> Second:
    """Tell what became of two prompts, by their answers and by what the model was asked."""
    end = (await asyncio.wait_for(first, ANSWER_S))["stopReason"]
    if end == "cancelled":
        return Second.CANCELS
    if second.done() and second.exception():
        return Second.REFUSES
    # Why a third: when it is answered all has been heard, and what is unanswered stays so.
    await on.agent.play(f"Three. {script({'text': 'third'})}")
    asked = [request for request in on.stub.requests if request.scripted]
    heard = next(n for n, request in enumerate(asked) if request.holds("Two-zebra"))
    if "first" in (request.said for request in asked[:heard]):
        return Second.QUEUES
    return Second.MERGES if second.done() else Second.SWALLOWS
