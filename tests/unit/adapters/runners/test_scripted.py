import asyncio
from typing import Any

import pytest

from subsessiond.adapters.runners import childwords
from subsessiond.model.brief import ReportContract
from subsessiond.model.commands import (
    EndChild,
    NoteSign,
    SaveCheckpoint,
    Spawn,
    SubmitReport,
)
from subsessiond.model.decision import Accepted, Admitted, Saved
from subsessiond.model.effects import WakeReader
from subsessiond.model.node import Phase, Status
from subsessiond.model.rejection import Code, Rejection
from subsessiond.ports import RunnerFault, WorkspaceBusy, WorkspaceFault
from tests.support.scripts import failed, make, node_of, running, until
from tests.support.stage import Stage

FINAL = {"stage": "final", "outcome": "completed", "output": "All done."}


async def test_it_reports_and_settles(here: Stage) -> None:
    """A report of the script is the child's own, and a final settles it."""
    child = await make(here, {"report": {"output": "half"}}, {"report": FINAL})
    async with running(child):
        await until(here, lambda: node_of(here, child).status is Status.SETTLED)
    settlement = node_of(here, child).settlement
    assert settlement is not None
    assert (settlement.output, settlement.author) == ("All done.", "child")
    assert all(isinstance(answer, Accepted) for answer in child.answers)


async def test_a_refused_report_is_an_answer_and_the_script_goes_on(here: Stage) -> None:
    """A report without its output, or one too large, is refused as any client's would be."""
    child = await make(
        here, {"report": {"stage": "final"}}, {"report": {"output": "x" * 9_000}}, {"report": FINAL}
    )
    async with running(child):
        await until(here, lambda: len(child.answers) == 3)
    codes = [a.code for a in child.answers if isinstance(a, Rejection)]
    assert codes == [Code.REPORT_INVALID, Code.REPORT_TOO_LARGE]


async def test_a_final_is_held_against_the_schema(here: Stage) -> None:
    """The data of a completed final has to be there and to satisfy the brief's schema."""
    schema = {"type": "object", "required": ["n"], "properties": {"n": {"type": "integer"}}}
    child = await make(
        here,
        {"report": FINAL},
        {"report": FINAL | {"structured": {"n": "one"}}},
        {"report": FINAL | {"structured": {"n": 1}}},
        schema=schema,
    )
    assert child._node.brief is not None  # noqa: SLF001
    assert child._node.brief.report_contract == ReportContract(output_schema=schema)  # noqa: SLF001
    async with running(child):
        await until(here, lambda: len(child.answers) == 3)
    first, second, third = child.answers
    assert isinstance(first, Rejection)
    assert isinstance(second, Rejection)
    assert (first.code, second.code) == (Code.OUTPUT_SCHEMA, Code.OUTPUT_SCHEMA)
    assert isinstance(third, Accepted)


async def test_only_what_may_become_a_final_is_held_against_the_schema(here: Stage) -> None:
    """A named finding is free of the schema; an unnamed report without its data is not promoted."""
    child = await make(
        here,
        {"report": {"stage": "finding", "output": "f"}},
        {"report": {"output": "perhaps the last words"}},
        schema={"type": "object"},
    )
    async with running(child):
        await until(here, lambda: len(child.answers) == 2)
    assert all(isinstance(answer, Accepted) for answer in child.answers)
    named, unnamed = here.told(SubmitReport)
    assert named.schema_fault is None
    assert "required" in unnamed.schema_fault
    assert not node_of(here, child).promotable


async def test_it_saves_checkpoints(here: Stage) -> None:
    """A checkpoint is kept; a bad one is refused with its fields."""
    good = {"phase": "p", "state": "s", "nextStep": "n"}
    child = await make(here, {"checkpoint": good}, {"checkpoint": {"phase": 1}})
    async with running(child):
        await until(here, lambda: len(child.answers) == 2)
    saved, refused = child.answers
    assert isinstance(saved, Saved)
    assert isinstance(refused, Rejection)
    assert refused.code is Code.CHECKPOINT_INVALID
    assert len(here.told(SaveCheckpoint)) == 2


async def test_it_spawns_waits_for_mail_and_acknowledges(here: Stage) -> None:
    """A scripted lead hires, waits until its child has spoken, and takes the mail it read."""
    below = {"role": "worker", "brief": {"mission": "m", "ownedGlobs": ["src/**"]}}
    child = await make(
        here,
        {"spawn": below | {"idempotencyKey": "k"}},
        {"waitMail": 1},
        {"report": FINAL},
        role="lead",
        owns=("src/**",),
    )
    async with running(child) as task:
        await until(here, lambda: here.told(Spawn))
        await until(here, lambda: child.answers)
        (admitted,) = child.answers
        assert isinstance(admitted, Admitted)
        assert here.told(Spawn)[-1].key == "k"
        child.wake()
        await asyncio.sleep(0)
        assert not task.done()
        await here.registry.ask(failed(here, admitted.node_id))
        await until(here, lambda: here.effects(WakeReader))
        child.wake()
        await until(here, lambda: node_of(here, child).status is Status.SETTLED)
    assert here.registry.tree.mail.get(child._node.node_id, ()) == ()  # noqa: SLF001


async def test_a_bad_spawn_is_refused(here: Stage) -> None:
    """A brief with faults, and a scope outside of what it owns, are refused with their codes."""
    outside = {"role": "worker", "brief": {"mission": "m", "ownedGlobs": ["lib/**"]}}
    child = await make(here, {"spawn": {}}, {"spawn": outside}, role="lead", owns=("src/**",))
    async with running(child):
        await until(here, lambda: len(child.answers) == 2)
    codes = [a.code for a in child.answers if isinstance(a, Rejection)]
    assert codes == [Code.BRIEF_INVALID, Code.SCOPE_OUTSIDE_PARENT]


async def test_a_spawn_on_a_slow_folder_is_tried_again(
    here: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What could not be looked at in time is looked at again, as whoever calls would."""
    looks, look = list[int](), here.workspace.normal_forms

    async def slow(workspace: str, globs: tuple[str, ...]) -> object:
        looks.append(1)
        if len(looks) < 3:
            raise WorkspaceBusy("it took too long")
        return await look(workspace, globs)

    monkeypatch.setattr(childwords, "LOOK_AGAIN_S", 0)
    monkeypatch.setattr(here.workspace, "normal_forms", slow)
    below = {"role": "worker", "brief": {"mission": "m", "ownedGlobs": ["src/**"]}}
    child = await make(here, {"spawn": below}, role="lead", owns=("src/**",))
    async with running(child):
        await until(here, lambda: child.answers)
    assert not isinstance(child.answers[0], Rejection)


async def test_a_spawn_on_a_folder_that_does_not_answer_is_refused(
    here: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Patterns that cannot be looked at are a fault of their field."""

    async def hang(*_: object) -> None:
        raise WorkspaceFault("it took too long")

    monkeypatch.setattr(here.workspace, "normal_forms", hang)
    below = {"role": "worker", "brief": {"mission": "m", "ownedGlobs": ["src/**"]}}
    child = await make(here, {"spawn": below}, role="lead")
    async with running(child):
        await until(here, lambda: child.answers)
    (refused,) = child.answers
    assert isinstance(refused, Rejection)
    assert refused.fields[0].path == "brief.ownedGlobs"


async def test_it_ends_as_the_script_says(here: Stage) -> None:
    """The end of a run has the outcome, reasons and diagnostic of the script."""
    ending = {"outcome": "failed", "stopReason": "max-tokens", "reason": "cap", "diagnostic": "429"}
    child = await make(here, {"end": ending}, {"raise": "never reached"})
    await child.run()
    (ended,) = here.told(EndChild)
    assert (ended.stop_reason, ended.reason, ended.diagnostic) == ("max-tokens", "cap", "429")


async def test_it_fails_as_the_script_says(here: Stage) -> None:
    """A step that raises is the runner's own fault, as of a broken runner."""
    child = await make(here, {"raise": "boom"})
    with pytest.raises(RunnerFault, match="boom"):
        await child.run()


async def test_signs_are_telemetry(here: Stage) -> None:
    """A sign of life is told with its word and phase."""
    child = await make(
        here, {"sign": {"sign": "tool", "phase": "in-tool"}}, {"sign": {}}, {"end": {}}
    )
    await child.run()
    first, second = here.told(NoteSign)
    assert (first.sign, first.phase) == ("tool", Phase.IN_TOOL)
    assert (second.sign, second.phase) == ("scripted", None)


async def test_a_pause_is_a_pause(here: Stage) -> None:
    """A step may do nothing for a while, and a stop does not wait for its end."""
    child = await make(here, {"pauseMs": 0}, {"pauseMs": 600_000}, {"end": {}})
    async with running(child):
        await here.settled_queue()
        await child.stop()
    assert here.outcomes() == []


async def test_it_writes_what_it_owns(here: Stage) -> None:
    """A file of the node's own is written, with its folders."""
    step = {"write": {"path": "docs/a/b.md", "text": "hello"}}
    child = await make(here, step, {"end": {}}, owns=("docs/**",))
    await child.run()
    assert (here.folder / "docs/a/b.md").read_text() == "hello"


@pytest.mark.parametrize(
    "path", ["src/x.py", "/etc/subsessiond-test", "../x", "docs/../../x", "docs/out/x"]
)
async def test_it_writes_nothing_else(here: Stage, path: str, tmp_path_factory: Any) -> None:
    """A file of somebody else, outside of the workspace, or through a link, is never written."""
    outside = tmp_path_factory.mktemp("outside")
    (here.folder / "docs").mkdir()
    (here.folder / "docs/out").symlink_to(outside)
    child = await make(here, {"write": {"path": path}}, owns=("docs/**",))
    with pytest.raises(RunnerFault, match="write"):
        await child.run()
    assert list(outside.iterdir()) == []
    assert not (here.folder / "src").exists()
