import pytest

from subsessiond.core.toolwords import class_of, is_ours
from subsessiond.model.role import AgentProfile, ToolClass


@pytest.mark.parametrize(
    ("word", "found"),
    [
        ("Read", ToolClass.READ),
        ("MultiEdit", ToolClass.EDIT),
        ("Bash", ToolClass.EXECUTE),
        ("Task", ToolClass.DELEGATE),
        ("execute", ToolClass.EXECUTE),
        ("read", ToolClass.READ),
        ("bash", None),
        ("Bash(git:*)", None),
        ("mcp__other__tool", None),
        ("", None),
    ],
)
def test_a_word_is_known_or_it_is_not(word: str, found: ToolClass | None) -> None:
    """Nothing is guessed from parts of a name, or from its case."""
    assert class_of(word, None) is found


def test_the_agents_own_words_come_first() -> None:
    """Written out; a pattern is of no use here, for it may fit what its author never saw."""
    tools = (("Read", ToolClass.FETCH), ("shell", ToolClass.EXECUTE), ("mcp__*", ToolClass.READ))
    profile = AgentProfile(name="a", runner="acp", tools=tools)
    assert class_of("Read", profile) is ToolClass.FETCH
    assert class_of("shell", profile) is ToolClass.EXECUTE
    assert class_of("mcp__x", profile) is None
    assert class_of("mcp__*", profile) is None


def test_our_tools_are_ours() -> None:
    """By the whole name of the server."""
    assert is_ours("mcp__subsession")
    assert is_ours("mcp__subsession__report")
    assert not is_ours("mcp__subsessions__report")
    assert not is_ours("report")
