import os
from typing import Any

import pytest
from msgspec.structs import replace

from subsessiond.adapters.runners.claude.permissions import Permissions
from subsessiond.adapters.runners.refusals import Refusals
from subsessiond.model.node import Node
from subsessiond.model.role import AgentProfile, ToolClass
from tests.support.stage import Stage

PROFILE = AgentProfile(name="claude", runner="claude", command=("claude",))


@pytest.fixture
async def node(here: Stage) -> Node:
    """A worker that owns what lies in docs."""
    (here.folder / "docs").mkdir()
    made = here.node(await here.admit(role="worker", owns=("docs/**",)))
    assert made.role is not None
    tools = (ToolClass.READ, ToolClass.SEARCH, ToolClass.EDIT, ToolClass.THINK)
    return replace(made, role=replace(made.role, tools=tools))


async def judge(node: Node, tool: str, **said: Any) -> str:
    """Give the blocker of a use, or nothing."""
    return await judge_by(PROFILE, node, tool, **said)


async def judge_by(profile: AgentProfile, node: Node, tool: str, **said: Any) -> str:
    """Give it by another profile."""
    refusal = await Permissions(profile, Refusals()).judge(node, tool, said)
    return refusal.blocker if refusal is not None else ""


@pytest.mark.parametrize("tool", ["Write", "Edit", "MultiEdit"])
async def test_files_that_it_owns_may_be_written(here: Stage, node: Node, tool: str) -> None:
    """By their real paths, wherever links lead."""
    os.symlink(here.folder / "docs", here.folder / "link")
    os.symlink(here.folder, here.folder / "docs/up")
    assert await judge(node, tool, file_path=f"{here.folder}/docs/a.md") == ""
    assert await judge(node, tool, file_path=f"{here.folder}/link/new/a.md") == ""
    out = await judge(node, tool, file_path=f"{here.folder}/docs/up/b.md")
    assert out == "approval-required: fs write b.md"


async def test_a_notebook_is_a_file(here: Stage, node: Node) -> None:
    """Its path has a word of its own."""
    assert await judge(node, "NotebookEdit", notebook_path=f"{here.folder}/docs/a.ipynb") == ""
    refused = await judge(node, "NotebookEdit", notebook_path=f"{here.folder}/a.ipynb")
    assert refused == "approval-required: fs write a.ipynb"


@pytest.mark.parametrize(
    "said",
    [
        {"file_path": "/etc/passwd"},
        {"file_path": "docs/a.md"},
        {"file_path": "~/a.md"},
        {"file_path": ""},
        {"file_path": 4},
        {"file_path": None},
        {},
        {"path": "/etc/passwd", "file_path": "FOLDER/docs/a.md"},
    ],
)
async def test_what_does_not_surely_lie_in_its_claim_is_refused(
    here: Stage, node: Node, said: dict[str, Any]
) -> None:
    """Outside, relative to a folder that only the agent knows, expanded, nonsense, or left out."""
    whole = {
        word: text.replace("FOLDER", str(here.folder)) if isinstance(text, str) else text
        for word, text in said.items()
    }
    assert (await judge(node, "Write", **whole)).startswith("approval-required: fs write")


async def test_tools_are_judged_by_their_class(here: Stage, node: Node) -> None:
    """Reading is never blocked; what the role has no class for is, and so is what nobody knows."""
    assert await judge(node, "Read", file_path="/etc/hostname") == ""
    assert await judge(node, "TodoWrite", todos=[]) == ""
    assert await judge(node, "Bash", command="ls") == "approval-required: run Bash"
    assert await judge(node, "WebFetch", url="x") == "approval-required: fetch WebFetch"
    for tool in ("Task", "Agent", "", "mcp__other__report", "Brand New"):
        assert (await judge(node, tool)).startswith("approval-required: tool")


async def test_our_own_tools_are_always_allowed(node: Node) -> None:
    """Nobody has to allow a child to report, whatever its role is."""
    assert await judge(node, "mcp__subsession__report", path="/etc/passwd") == ""


async def test_a_profile_may_name_more_tools(node: Node) -> None:
    """Its words come first: they may widen what is known, and narrow it."""
    profile = replace(PROFILE, tools=(("Brand New", ToolClass.READ), ("Read", ToolClass.EXECUTE)))
    assert await judge_by(profile, node, "Brand New") == ""
    assert await judge_by(profile, node, "Read") == "approval-required: run Read"


async def test_refusals_are_remembered(node: Node) -> None:
    """Each once, for the question that follows a turn which they ended."""
    refusals = Refusals()
    permissions = Permissions(PROFILE, refusals)
    for _ in range(2):
        await permissions.judge(node, "Bash", {"command": "ls"})
    assert [refusal.blocker for refusal in refusals.take()] == ["approval-required: run Bash"]
