import pytest

from subsessiond.adapters.runners.toolnames import classes_of
from subsessiond.model.role import AgentProfile, ToolClass

PROFILE = AgentProfile(
    name="agent",
    runner="acp",
    tools=(
        ("Task", ToolClass.DELEGATE),
        ("Cat", ToolClass.READ),
        ("mcp__web__*", ToolClass.FETCH),
        ("*", ToolClass.THINK),
    ),
)
BARE = AgentProfile(name="bare", runner="acp")


def test_a_spelled_name_comes_before_the_kind() -> None:
    """The profile's author knew the tool, whatever the agent says it is."""
    assert classes_of(PROFILE, ["Cat"], ["execute"]) == (ToolClass.READ,)
    assert classes_of(PROFILE, ["Cat", "Task", "Cat"]) == (ToolClass.READ, ToolClass.DELEGATE)


def test_a_title_that_is_spelled_out_counts_beside_the_kind() -> None:
    """A command may be called like a tool: what the agent says that it does counts as well."""
    assert classes_of(PROFILE, [], ["execute"], ["Cat"]) == (ToolClass.READ, ToolClass.EXECUTE)
    assert classes_of(PROFILE, ["Task"], ["execute"], ["Cat"]) == (ToolClass.DELEGATE,)
    assert classes_of(PROFILE, [], [], ["Cat"]) == (ToolClass.READ,)
    assert classes_of(PROFILE, [], ["other"], ["mcp__web__x"]) == (ToolClass.FETCH,)


def test_a_kind_comes_before_a_pattern() -> None:
    """A command that was written to fit a pattern is still a command."""
    words = "mcp__web__x; rm -rf ."
    assert classes_of(PROFILE, [words], ["execute"]) == (ToolClass.EXECUTE,)
    assert classes_of(PROFILE, [words], ["other"]) == (ToolClass.FETCH,)


@pytest.mark.parametrize(
    ("kind", "classes"),
    [
        ("read", (ToolClass.READ,)),
        ("edit", (ToolClass.EDIT,)),
        ("delete", (ToolClass.DELETE,)),
        ("move", (ToolClass.EDIT, ToolClass.DELETE)),
        ("search", (ToolClass.SEARCH,)),
        ("execute", (ToolClass.EXECUTE,)),
        ("think", (ToolClass.THINK,)),
        ("fetch", (ToolClass.FETCH,)),
        ("other", ()),
        ("switch_mode", ()),
        ("brand-new", ()),
    ],
)
def test_kinds_of_the_protocol(kind: str, classes: tuple[ToolClass, ...]) -> None:
    """Each kind has its classes; a move writes and deletes; what is not known stays unknown."""
    assert classes_of(BARE, ["anything"], [kind]) == classes


def test_all_kinds_ever_said_count() -> None:
    """A tool that was called a read and then an edit is both."""
    assert classes_of(BARE, [], ["read", "edit"]) == (ToolClass.READ, ToolClass.EDIT)


def test_nothing_known_is_nothing() -> None:
    """Without a name, a kind or a fitting pattern nobody knows what it is."""
    assert classes_of(BARE, ["Thing"]) == ()
    assert classes_of(PROFILE, ["Thing"]) == (ToolClass.THINK,)
    assert classes_of(PROFILE, []) == ()
