"""Each agent that speaks JSON lines does what its rig says, asked by a model of ours."""

import asyncio
import json
import os
import shutil
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, NamedTuple

import pytest

from tests.support.modelstub import Stub, Usage, script
from tests.support.rigs import BIN, RIGS, Refusal, Rig, Speaks, prepare

NOTE: Final = Path(__file__).parents[1] / "support/agents/note.py"
ENDS_S: Final = 60.0
Line = dict[str, Any]
pytestmark = [
    pytest.mark.skipif(not BIN.exists(), reason="scripts/agents has not run in this clone"),
    pytest.mark.timeout(90),  # as in test_rigs_acp; its bound is ENDS_S
]
each = pytest.mark.parametrize(
    "rig",
    [
        pytest.param(rig, marks=() if rig.installed else pytest.mark.skip("not for this platform"))
        for rig in RIGS.values()
        if rig.speaks is Speaks.JSONL
    ],
    ids=lambda rig: rig.name,
)


class Run(NamedTuple):
    """What came of an agent that was given one brief."""

    code: int
    lines: list[Line]
    reported: list[str]


def report(output: str) -> Line:
    """Give the step that reports."""
    return {"call": "report", "args": {"stage": "progress", "output": output}}


async def run(rig: Rig, stub: Stub, tmp_path: Path, brief: str, *, edits: bool) -> Run:
    """Give an agent a brief and wait for its end; nothing of its process group stays."""
    scratch, folder, notes = (tmp_path / name for name in ("home", "workspace", "notes"))
    folder.mkdir()
    args = json.dumps([str(NOTE), str(notes)])
    prepared = prepare(
        rig, scratch, stub.url, edits=edits, shim_program=sys.executable, shim_args=args
    )
    process = await asyncio.create_subprocess_exec(
        *prepared.argv,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        env=prepared.env,
        cwd=folder,
        start_new_session=True,
    )
    try:
        out, _ = await asyncio.wait_for(process.communicate(brief.encode()), ENDS_S)
    finally:
        if process.returncode is None:
            os.killpg(process.pid, signal.SIGKILL)
            await process.wait()
        shutil.rmtree(scratch, ignore_errors=True)
    told = notes.read_text().splitlines() if notes.exists() else []
    reported = [json.loads(line)["output"] for line in told]
    assert process.returncode is not None
    return Run(process.returncode, [json.loads(line) for line in out.splitlines()], reported)


def read_claude(lines: list[Line]) -> Usage:
    usage = lines[-1]["usage"]
    return Usage(input=usage["input_tokens"], output=usage["output_tokens"])


def read_codex(lines: list[Line]) -> Usage:
    usage = lines[-1]["usage"]
    return Usage(input=usage["input_tokens"], output=usage["output_tokens"])


def read_gemini(lines: list[Line]) -> Usage:
    stats = lines[-1]["stats"]
    return Usage(input=stats["input_tokens"], output=stats["output_tokens"])


def read_opencode(lines: list[Line]) -> Usage:
    told = [line["part"]["tokens"] for line in lines if line["type"] == "step_finish"]
    return Usage(input=sum(t["input"] for t in told), output=sum(t["output"] for t in told))


def read_pi(lines: list[Line]) -> Usage:
    ends = [line["message"] for line in lines if line["type"] == "turn_end"]
    told = [message["usage"] for message in ends]
    return Usage(input=sum(t["input"] for t in told), output=sum(t["output"] for t in told))


READ: Final[dict[str, Callable[[list[Line]], Usage]]] = {
    "claude": read_claude,
    "codex": read_codex,
    "gemini": read_gemini,
    "opencode": read_opencode,
    "pi": read_pi,
}


@each
async def test_an_agent_reports_writes_and_tells_what_it_used(rig: Rig, tmp_path: Path) -> None:
    """It is offered our tool, calls it, writes, runs, and its figures are those it was given."""
    file = tmp_path / "workspace/a.txt"
    async with Stub() as stub:
        steps = (
            report("one"),
            rig.write.step(path=str(file), text="hello"),
            rig.shell.step(line="echo it ran"),
            report("two"),
            {"text": "all done"},
        )
        ran = await run(rig, stub, tmp_path, f"Do it. {script(*steps)}", edits=True)
        assert not stub.faults
        assert (ran.code, ran.reported) == (0, ["one", "two"])
        assert file.read_text().strip() == "hello"
        turn = [request for request in stub.requests if request.scripted]
        assert "it ran" in turn[-1].results[2]
        assert rig.report in turn[-1].offered
        told = [request.usage for request in turn if request.usage]
        assert len(told) == len(steps)
        counted = Usage(sum(usage.input for usage in told), 0, 0, sum(u.output for u in told))
        assert READ[rig.name](ran.lines) == counted


@each
async def test_a_refused_write_is_not_done(rig: Rig, tmp_path: Path) -> None:
    """Without leave nothing is written, and whether the turn goes on is known."""
    file = tmp_path / "workspace/b.txt"
    async with Stub() as stub:
        steps = rig.write.step(path=str(file), text="no"), report("went on"), {"text": "done"}
        ran = await run(rig, stub, tmp_path, f"Do it. {script(*steps)}", edits=False)
    assert file.exists() == (rig.refusal is Refusal.NEVER_ASKS)
    ended = rig.refusal in (Refusal.ENDS_TURN, Refusal.NOT_OFFERED)
    assert ran.reported == ([] if ended else ["went on"])
    assert [fault.split("'")[1] for fault in stub.faults] == (
        [rig.write.tool] if rig.refusal is Refusal.NOT_OFFERED else []
    )
    assert ran.code == 0


@each
async def test_a_provider_that_refuses_is_no_success(rig: Rig, tmp_path: Path) -> None:
    """An agent whose model answers 401 ends, and says so in its lines if not by its exit."""
    async with Stub() as stub:
        brief = f"Do it. {script({'error': 401})}"
        ran = await run(rig, stub, tmp_path, brief, edits=False)
    assert (ran.code == 0) == (rig.name == "pi")
    assert "scripted error 401" in json.dumps(ran.lines)
    assert ran.reported == []
