"""What the tools in a workspace's role files are, in the eight words of policy.

Such files speak of tools as Claude Code calls them, whatever agent will play the role. What the
profile of that agent calls its own comes first, and a class may stand there by its own name.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from subsessiond.model.role import AgentProfile, ToolClass

CHANNEL: Final = "mcp__subsession"
"""Begins the names of our own tools: every child has those that it may have, named or not."""

WORDS: Final[Mapping[str, ToolClass]] = MappingProxyType(
    {
        "Read": ToolClass.READ,
        "NotebookRead": ToolClass.READ,
        "Glob": ToolClass.SEARCH,
        "Grep": ToolClass.SEARCH,
        "LS": ToolClass.SEARCH,
        "LSP": ToolClass.SEARCH,
        "Edit": ToolClass.EDIT,
        "MultiEdit": ToolClass.EDIT,
        "NotebookEdit": ToolClass.EDIT,
        "Write": ToolClass.EDIT,
        "Bash": ToolClass.EXECUTE,
        "BashOutput": ToolClass.EXECUTE,
        "KillBash": ToolClass.EXECUTE,
        "KillShell": ToolClass.EXECUTE,
        "WebFetch": ToolClass.FETCH,
        "WebSearch": ToolClass.FETCH,
        "TodoWrite": ToolClass.THINK,
        "Agent": ToolClass.DELEGATE,
        "Task": ToolClass.DELEGATE,
    }
)


def is_ours(word: str) -> bool:
    """Tell whether a word names tools of ours."""
    return word == CHANNEL or word.startswith(f"{CHANNEL}__")


def class_of(word: str, profile: AgentProfile | None) -> ToolClass | None:
    """Say what a tool is; none where nobody knows.

    Args:
        word: as it stands in the file.
        profile: of the agent that will play the role.
    """
    own = dict(profile.tools) if profile is not None else {}
    if word in own and "*" not in word:
        return own[word]
    if word in WORDS:
        return WORDS[word]
    return ToolClass(word) if word in tuple(ToolClass) else None
