"""The pure rule that answers an agent's request to use a tool."""

import pytest
from msgspec.structs import replace

from subsessiond.core.permit import Asked, owns, permit, tools_of
from subsessiond.model.brief import Grant
from subsessiond.model.ids import NodeId
from subsessiond.model.node import Node, Status
from subsessiond.model.role import Role, ToolClass


def node_with(*tools: ToolClass, owned: tuple[str, ...] = ()) -> Node:
    """Give a running child with these tool classes and files."""
    return Node(
        node_id=NodeId("n-1"),
        parent=NodeId("n-0"),
        root=NodeId("n-0"),
        workspace="/w",
        status=Status.RUNNING,
        title="",
        depth=0,
        token_cap=1,
        claimed_at_ms=0,
        role=Role(name="r", tier="t", tools=tools),
        owns=owned,
    )


def test_what_the_role_holds_is_granted() -> None:
    """Reading needs the class and nothing else, wherever it reads."""
    reader = node_with(ToolClass.READ)
    assert permit(reader, Asked(tool=ToolClass.READ, paths=(None,))) is None


@pytest.mark.parametrize("tool", [tool for tool in ToolClass if tool is not ToolClass.READ])
def test_a_class_the_role_lacks_is_refused_with_a_blocker(tool: ToolClass) -> None:
    """Whatever the role does not hold ends in a blocker a person understands."""
    refusal = permit(node_with(ToolClass.READ), Asked(tool=tool, words="do it"))
    assert refusal is not None
    assert refusal.blocker.startswith("approval-required: ")
    assert "do it" in refusal.blocker
    assert tool in refusal.why


def test_a_tool_nobody_knows_is_refused() -> None:
    """A name without a class is never taken for a harmless one."""
    refusal = permit(node_with(*ToolClass), Asked(words="mystery"))
    assert refusal is not None
    assert refusal.blocker == "approval-required: tool mystery"


@pytest.mark.parametrize("tool", [ToolClass.EDIT, ToolClass.DELETE])
def test_writing_needs_the_file_to_be_owned(tool: ToolClass) -> None:
    """Every path counts; one that is not owned, lies outside or is not named refuses all."""
    writer = node_with(*ToolClass, owned=("src/*.py",))
    assert permit(writer, Asked(tool=tool, paths=("src/a.py",))) is None
    refused = permit(writer, Asked(tool=tool, paths=("src/a.py", "docs/x.md")))
    assert refused is not None
    assert refused.blocker.endswith("docs/x.md")
    assert permit(writer, Asked(tool=tool, paths=("src/a.py", None))) is not None
    assert permit(writer, Asked(tool=tool)) is not None


def test_a_grant_adds_tools_and_a_root_has_all() -> None:
    """What a person granted counts like the role's own."""
    reader = node_with(ToolClass.READ)
    granted = replace(reader, grant=Grant(tools=(ToolClass.EXECUTE,)))
    assert tools_of(granted) == (ToolClass.READ, ToolClass.EXECUTE)
    assert permit(granted, Asked(tool=ToolClass.EXECUTE)) is None
    assert tools_of(replace(reader, role=None)) == tuple(ToolClass)


def test_a_blocker_is_one_bounded_line() -> None:
    """An agent's words cannot make a blocker long, or of many lines."""
    refusal = permit(node_with(), Asked(tool=ToolClass.FETCH, words="a\nb" * 4_000))
    assert refusal is not None
    assert len(refusal.blocker.encode()) < 260
    assert "\n" not in refusal.blocker


def test_nobody_owns_a_file_without_a_claim() -> None:
    """A reader owns nothing."""
    assert not owns(node_with(ToolClass.EDIT), "src/a.py")
    assert owns(node_with(ToolClass.EDIT, owned=("src/",)), "src/deep/a.py")
