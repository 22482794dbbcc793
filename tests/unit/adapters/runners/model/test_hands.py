"""Calls of a model, carried out."""

from typing import Any

import pytest

from subsessiond.adapters.processes import LinuxProcesses
from subsessiond.adapters.runners.mailbox import Mailbox
from subsessiond.adapters.runners.model.hands import REFUSALS_MOST, Hands
from subsessiond.adapters.runners.model.shell import Shell
from subsessiond.adapters.runners.model.speech import Call
from tests.support.childtools import StageTools
from tests.support.policies import ACTOR
from tests.support.stage import Stage


async def some_hands(
    here: Stage, processes: LinuxProcesses, role: str = "worker", **fields: Any
) -> Hands:
    """Make the hands of a child."""
    env = tuple(here.environment().items())
    order = await here.order(ACTOR, env, role=role, **fields)
    mailbox = Mailbox(here.voice, order.node.node_id)
    shell = Shell(processes, order, 20_000)
    return Hands(order.node, mailbox, StageTools(here.voice), shell)


def call(name: str, arguments: dict[str, Any] | None = None, **more: Any) -> Call:
    """Make a call."""
    return Call(call_id="c", name=name, arguments=more if arguments is None else arguments)


async def test_files_are_worked_on_where_they_really_are(
    here: Stage, processes: LinuxProcesses
) -> None:
    """Through links inside of the workspace, and never beyond it."""
    hands = await some_hands(here, processes, owns=("src/**",))
    (here.folder / "src").mkdir()
    (here.folder / "lib").symlink_to("src")
    (here.folder / "out").symlink_to("/etc")
    assert await hands.use(call("write_file", path="lib/a", text="one")) == "written, 3 bytes"
    assert await hands.use(call("read_file", path="src/a")) == "one"
    assert await hands.use(call("edit_file", path="src/a", old="one", new="two")) == "replaced"
    assert await hands.use(call("search_files", text="two")) == "src/a:1: two"
    assert (await hands.use(call("list_files"))).splitlines()[0] == "lib"
    assert await hands.use(call("delete_file", path="src/a")) == "deleted"
    for path in ("out/passwd", "/etc/passwd", "../x"):
        assert "outside of the workspace" in await hands.use(call("read_file", path=path))
        assert "outside of the workspace" in await hands.use(
            call("write_file", path=path, text="x")
        )
    assert [r.why for r in hands.take_refusals()][:1] == ["it lies outside of the workspace"]


async def test_what_is_not_granted_is_refused_and_remembered(
    here: Stage, processes: LinuxProcesses
) -> None:
    """Also a tool that was not offered; the same refusal counts once, and they are bounded."""
    hands = await some_hands(here, processes, role="reader")
    told = await hands.use(call("run_command", command="touch x"))
    assert told.startswith("Refused: your role has no execute tools.")
    assert not (here.folder / "x").exists()
    for number in range(REFUSALS_MOST + 3):
        for _ in range(2):
            await hands.use(call("write_file", path=f"f{number}", text="x"))
    refused = hands.take_refusals()
    assert len(refused) == REFUSALS_MOST
    assert refused[0].blocker == "approval-required: run touch x"
    assert hands.take_refusals() == ()


@pytest.mark.parametrize("role", ["worker", "reader"])
@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("write_file", {"path": "a\ud800", "text": "x"}),
        ("run_command", {"command": "echo \ud800"}),
        ("report", {"output": "\ud800", "stage": "final", "outcome": "completed"}),
        ("report", {"\ud800": 1}),
    ],
)
async def test_half_a_character_ends_no_child(
    here: Stage, processes: LinuxProcesses, role: str, name: str, arguments: dict[str, Any]
) -> None:
    """JSON can spell what no text holds: whoever writes it is told so, in text."""
    hands = await some_hands(here, processes, role=role)
    told = await hands.use(call(name, arguments))
    assert told == "Not done: the arguments hold half a character, or are nested too deep."
    assert hands.unreadable == 1


async def test_what_is_no_call_is_told_and_counted(here: Stage, processes: LinuxProcesses) -> None:
    """Until one can be read again."""
    hands = await some_hands(here, processes)
    for wrong, words in (
        (Call(call_id="c", name="read_file", arguments=None), "not a JSON object"),
        (call("fly"), "no such tool"),
        (call("read_file", path=7), "path must be text"),
    ):
        assert words in await hands.use(wrong)
    assert hands.unreadable == 3
    assert await hands.use(call("read_file", path="missing")) == (
        "Not done: no such file or directory."
    )
    assert hands.unreadable == 0


async def test_its_own_tools_come_first(here: Stage, processes: LinuxProcesses) -> None:
    """They are answered by the daemon, in its words."""
    hands = await some_hands(here, processes)
    names = [tool.name for tool in hands.offered]
    assert names[:3] == ["report", "subsession_checkpoint", "read_file"]
    assert "NODE_SETTLED" not in await hands.use(call("report", output="here"))
