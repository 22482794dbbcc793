from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from subsessiond.adapters.runners.acp.permissions import (
    CANCELLED,
    OWN_NAMES,
    OWN_TOOLS,
    Permissions,
    is_own,
)
from subsessiond.adapters.runners.acp.toolcalls import ToolCalls
from subsessiond.adapters.runners.refusals import Refusals
from subsessiond.model.node import Node
from subsessiond.model.role import AgentProfile, ToolClass
from tests.support.nodes import node_in
from tests.support.policies import LEAF_TOOLS, READER, WORKER

PROFILE = AgentProfile(name="a", runner="acp", tools=(("WebFetch", ToolClass.FETCH),))
OPTIONS = [
    {"optionId": "always", "kind": "allow_always"},
    {"optionId": "yes", "kind": "allow_once"},
    {"optionId": "never", "kind": "reject_always"},
    {"optionId": "no", "kind": "reject_once"},
]


class Asking:
    """One child's agent, asking."""

    def __init__(self, folder: Path, *owns: str, role: Any = WORKER) -> None:
        self.node: Node = replace(node_in(folder, *owns), role=role)
        self.refusals = Refusals()
        self.calls = ToolCalls()
        self.permissions = Permissions(PROFILE, self.calls, self.refusals)

    async def ask(self, options: Any = OPTIONS, **call: Any) -> Any:
        """Ask; gives the option picked, or `cancelled`."""
        answer = await self.permissions.answer(self.node, {"toolCall": call, "options": options})
        outcome = answer["outcome"]
        return outcome.get("optionId", outcome["outcome"])


async def test_what_role_and_files_grant_is_allowed_this_once(tmp_path: Path) -> None:
    """A write into owned files, a search, a known tool: the option for this one time."""
    asking = Asking(tmp_path, "docs/**")
    write = {"kind": "edit", "locations": [{"path": str(tmp_path / "docs/a")}]}
    assert await asking.ask(**write) == "yes"
    assert await asking.ask(kind="search", title="grep") == "yes"
    assert await asking.ask(name="WebFetch") == "yes"
    assert asking.refusals.take() == ()


@pytest.mark.parametrize(
    ("call", "blocker"),
    [
        ({"kind": "edit", "rawInput": {"path": "src/x.py"}}, "fs write src/x.py"),
        ({"kind": "edit", "rawInput": {"path": "/etc/passwd"}}, "fs write"),
        ({"kind": "edit", "title": "Edit"}, "fs write Edit"),
        (
            {"kind": "edit", "rawInput": {"path": "docs/a"}, "locations": [{"path": "src/x.py"}]},
            "fs write src/x.py",
        ),
        ({"kind": "delete", "rawInput": {"path": "src/x.py"}}, "fs delete src/x.py"),
        ({"kind": "move", "rawInput": {"from": "src/x.py", "to": "docs/x"}}, "fs write src/x.py"),
        ({"kind": "other", "title": "frobnicate"}, "tool frobnicate"),
        ({}, "tool"),
        ({"kind": "edit", "rawInput": {"paths": [f"docs/{n}" for n in range(300)]}}, "fs write"),
    ],
)
async def test_what_is_not_granted_is_rejected_this_once(
    tmp_path: Path, call: dict[str, Any], blocker: str
) -> None:
    """Whatever is not owned, or not known, is rejected, and the blocker says what it was."""
    asking = Asking(tmp_path, "docs/**")
    assert await asking.ask(**call) == "no"
    (refusal,) = asking.refusals.take()
    assert refusal.blocker.startswith(f"approval-required: {blocker}")


async def test_a_role_without_a_class_of_tools_is_refused_it(tmp_path: Path) -> None:
    """A reader runs nothing."""
    asking = Asking(tmp_path, role=READER)
    assert await asking.ask(kind="execute", title="rm -rf .") == "no"
    (refusal,) = asking.refusals.take()
    assert refusal.blocker == "approval-required: run rm -rf ."


async def test_a_command_called_like_a_known_tool_is_a_command(tmp_path: Path) -> None:
    """A title is what the model wrote; the agent says what it is."""
    asking = Asking(tmp_path, role=replace(READER, tools=(ToolClass.FETCH,)))
    assert await asking.ask(kind="execute", title="WebFetch") == "no"
    assert await asking.ask(kind="other", title="WebFetch") == "yes"


async def test_a_link_out_of_the_owned_files_is_seen_through(tmp_path: Path) -> None:
    """What counts is where the file really is."""
    (tmp_path / "src").mkdir()
    (tmp_path / "docs").symlink_to("src")
    asking = Asking(tmp_path, "docs/**")
    assert await asking.ask(kind="edit", rawInput={"path": "docs/a"}) == "no"


async def test_what_was_said_before_is_joined_by_the_id(tmp_path: Path) -> None:
    """A request that names nothing but its call is judged by what was told of the call."""
    asking = Asking(tmp_path, "docs/**")
    asking.calls.note({"toolCallId": "1", "kind": "edit", "rawInput": {"path": "docs/a"}})
    asking.calls.note({"toolCallId": "2", "kind": "edit", "rawInput": {"path": "src/a"}})
    assert await asking.ask(toolCallId="1") == "yes"
    assert await asking.ask(toolCallId="2") == "no"
    assert await asking.ask(toolCallId="3") == "no"


@pytest.mark.parametrize(
    ("options", "allowed", "rejected"),
    [
        (OPTIONS[:1], "cancelled", "cancelled"),
        (OPTIONS[:2], "yes", "cancelled"),
        (OPTIONS[2:3], "cancelled", "cancelled"),
        (OPTIONS[2:], "cancelled", "no"),
        ([{"optionId": "x", "kind": "brand_new"}], "cancelled", "cancelled"),
        (
            [{"kind": "allow_once"}, 3, {"optionId": 5, "kind": "reject_once"}],
            "cancelled",
            "cancelled",
        ),
        ([], "cancelled", "cancelled"),
        (None, "cancelled", "cancelled"),
        ("text", "cancelled", "cancelled"),
    ],
)
async def test_options_are_picked_by_their_kind_and_never_for_ever(
    tmp_path: Path, options: Any, allowed: str, rejected: str
) -> None:
    """Where the right kind is not on offer the answer is `cancelled`, whatever else there is."""
    asking = Asking(tmp_path)
    assert await asking.ask(options=options, kind="read") == allowed
    assert await asking.ask(options=options, kind="edit") == rejected


async def test_a_request_without_a_call_is_rejected(tmp_path: Path) -> None:
    """Nothing is known of it, so nothing is granted."""
    asking = Asking(tmp_path)
    answer = await asking.permissions.answer(asking.node, {"options": OPTIONS})
    assert answer == {"outcome": {"outcome": "selected", "optionId": "no"}}
    assert await asking.permissions.answer(asking.node, {"toolCall": 3}) == CANCELLED


@pytest.mark.parametrize(
    "call",
    [
        {"title": "mcp__subsession__report", "kind": "other"},
        {"title": "report (subsession MCP Server)", "kind": "other"},
        {"title": "subsession_report"},
        {"title": "subsession-report"},
        {"title": "subsession__report"},
        {"title": "mcp_subsession_report"},
        {"name": "mcp__subsession__subsession_checkpoint", "title": "Saving"},
        {"title": "Tool", "rawInput": {"server": "subsession", "tool": "report"}},
        {"title": "Tool", "rawInput": {"serverName": "subsession", "toolName": "subsession_inbox"}},
    ],
)
async def test_our_own_tools_need_nobody(tmp_path: Path, call: dict[str, Any]) -> None:
    """A child may always report, however its agent spells our tools and whatever its role."""
    asking = Asking(tmp_path, role=replace(READER, tools=()))
    assert await asking.ask(**call) == "yes"


@pytest.mark.parametrize(
    "call",
    [
        {"title": "report"},
        {"title": "mcp__other__report"},
        {"title": "mcp__subsession__report; rm -rf ."},
        {"title": "mcp__subsession__report", "kind": "execute"},
        {"title": "x", "rawInput": {"server": "other", "tool": "report"}},
        {"title": "x", "rawInput": {"server": "subsession", "tool": "other"}},
        {"title": "subsession_report", "kind": "fetch"},
        {"title": "subsession_report", "kind": "EXECUTE"},
        {"title": "subsession_report", "rawInput": {"command": "rm -rf ."}},
        {"title": "subsession_report", "rawInput": {"path": "src/x.py"}},
        {
            "title": "x",
            "kind": "fetch",
            "rawInput": {"server": "subsession", "tool": "report"},
        },
        {"title": "x", "rawInput": {"server": "subsession", "tool": "report", "q": "DROP"}},
        {"name": "Bash", "title": "subsession_report"},
    ],
)
def test_what_only_looks_like_our_tools_is_not_ours(call: dict[str, Any]) -> None:
    """Another server's tools, bare names and commands are judged like everything else."""
    assert not is_own(ToolCalls().note(call))


def test_what_a_call_was_called_first_stays_its_name() -> None:
    """A title that comes later, a name told again, an input told before: none makes it ours."""
    calls = ToolCalls()
    calls.note({"toolCallId": "1", "name": "Gateway"})
    calls.note({"toolCallId": "1", "title": "subsession_report"})
    calls.note({"toolCallId": "1", "rawInput": {"server": "subsession", "tool": "report"}})
    call = calls.note({"toolCallId": "1", "name": "Gateway", "rawInput": {"sql": "DROP"}})
    assert call.names == ["Gateway", "subsession_report"]
    assert not is_own(call)


def test_every_tool_has_every_spelling() -> None:
    """Names are whole and each is there."""
    assert len(OWN_NAMES) == 11 * len(OWN_TOOLS)
    assert set(LEAF_TOOLS) < set(ToolClass)
