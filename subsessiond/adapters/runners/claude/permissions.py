"""Whether Claude Code may use a tool: answered at once, by a rule older than the child.

Nobody is asked, and nothing is allowed for longer than this one time. Claude Code gives the paths
of what it writes whole: one that is not is a place nobody knows, and is refused.
"""

import asyncio
import os
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

from subsessiond.adapters.runners.ownership import real_path
from subsessiond.adapters.runners.refusals import Refusals
from subsessiond.adapters.runners.toolnames import classes_of
from subsessiond.core.permit import Asked, Refusal, permit
from subsessiond.model.node import Node
from subsessiond.model.role import AgentProfile, ToolClass

OWN: Final = "mcp__subsession__"
"""What the names of our tools begin with. No other server can have this name: the profile lets the
agent start ours alone.
"""

TOOLS: Final[Mapping[str, ToolClass]] = MappingProxyType(
    {
        "Read": ToolClass.READ,
        "NotebookRead": ToolClass.READ,
        "LS": ToolClass.SEARCH,
        "Glob": ToolClass.SEARCH,
        "Grep": ToolClass.SEARCH,
        "Write": ToolClass.EDIT,
        "Edit": ToolClass.EDIT,
        "MultiEdit": ToolClass.EDIT,
        "NotebookEdit": ToolClass.EDIT,
        "Bash": ToolClass.EXECUTE,
        "BashOutput": ToolClass.EXECUTE,
        "KillBash": ToolClass.EXECUTE,
        "KillShell": ToolClass.EXECUTE,
        "TaskOutput": ToolClass.EXECUTE,
        "TaskStop": ToolClass.EXECUTE,
        "WebFetch": ToolClass.FETCH,
        "WebSearch": ToolClass.FETCH,
        "TodoWrite": ToolClass.THINK,
    }
)
"""What it calls its tools. What is not here, nor in the profile, nobody knows, and is refused; its
own subagents are among that.
"""

PATH_WORDS: Final = ("file_path", "notebook_path", "path")
"""Where the input of a tool names the file that it writes."""


class Permissions:
    """Judges what one child's agent wants to do.

    Args:
        profile: may name more tools, or put them into other classes.
        refusals: remembers what was refused.
    """

    def __init__(self, profile: AgentProfile, refusals: Refusals) -> None:
        self._profile = profile
        self._refusals = refusals
        self._judging = asyncio.Lock()

    async def judge(self, node: Node, tool: str, said: Mapping[str, Any]) -> Refusal | None:
        """Judge one use of a tool; none = it may be."""
        if tool.startswith(OWN):
            return None  # whether this node may use it is decided where it is served
        # Why one at a time: threads are few, and other children ask as well.
        async with self._judging:
            refusal = await asyncio.to_thread(self._judge, node, tool, said)
        if refusal is not None:
            self._refusals.add(refusal)
        return refusal

    def _judge(self, node: Node, tool: str, said: Mapping[str, Any]) -> Refusal | None:
        """Hold a use against role, brief and files; looks at the disk for real paths."""
        paths = tuple(_place(node, said[word]) for word in PATH_WORDS if word in said)
        for found in self._classes(tool) or (None,):
            if refusal := permit(node, Asked(tool=found, paths=paths, words=tool)):
                return refusal
        return None

    def _classes(self, tool: str) -> tuple[ToolClass, ...]:
        own = (TOOLS[tool],) if tool in TOOLS else ()
        return classes_of(self._profile, (tool,)) or own


def _place(node: Node, name: Any) -> str | None:
    whole = isinstance(name, str) and os.path.isabs(name)
    return real_path(node.workspace, name) if whole else None
