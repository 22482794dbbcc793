"""What a child's tool may do: the answer was given by its role and brief before it started.

Nobody is asked. What is not granted already is refused, and the child reports itself blocked; a
person may then grant it to a successor.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from subsessiond.core.bounds import one_line
from subsessiond.core.scope import PatternFault, covers, parse_pattern
from subsessiond.model.base import Value
from subsessiond.model.node import Node
from subsessiond.model.role import ToolClass

WRITES: Final = (ToolClass.EDIT, ToolClass.DELETE)

TARGET_BYTES: Final = 200

_VERBS: Final[Mapping[ToolClass, str]] = MappingProxyType(
    {
        ToolClass.READ: "fs read",
        ToolClass.EDIT: "fs write",
        ToolClass.DELETE: "fs delete",
        ToolClass.EXECUTE: "run",
        ToolClass.FETCH: "fetch",
        ToolClass.SEARCH: "search",
        ToolClass.THINK: "think",
        ToolClass.DELEGATE: "delegate",
    },
)


class Asked(Value, frozen=True, kw_only=True):
    """One use of a tool, as much as is known of it."""

    tool: ToolClass | None = None
    """None = nobody knows what this tool is."""
    paths: tuple[str | None, ...] = ()
    """Real paths it names, relative to the workspace; none where one lies outside."""
    words: str = ""
    """What the agent calls it, for people."""


class Refusal(Value, frozen=True, kw_only=True):
    """Why not, in two ways."""

    why: str
    """A sentence for the agent."""
    blocker: str
    """What its blocked final is to name."""


def permit(node: Node, asked: Asked) -> Refusal | None:
    """Answer one use of a tool; none = tool class, brief and owned files grant it already."""
    if asked.tool is None:
        return _refusal("it is not known what this tool does", f"tool {_shown(asked)}")
    if asked.tool not in tools_of(node):
        return _refusal(f"your role has no {asked.tool} tools", _target(asked))
    if asked.tool in WRITES and not asked.paths:
        return _refusal("it does not say which file it writes", _target(asked))
    if asked.tool in WRITES:
        return _check_paths(node, asked)
    return None


def tools_of(node: Node) -> tuple[ToolClass, ...]:
    """Give the tool classes a node may use: its role's and what a person granted it."""
    role = node.role.tools if node.role is not None else tuple(ToolClass)
    return (*role, *(tool for tool in node.grant.tools if tool not in role))


def owns(node: Node, path: str) -> bool:
    """Tell whether a path, relative to the workspace and real, is the node's to write."""
    patterns = (parse_pattern(text) for text in node.owns)
    return any(not isinstance(p, PatternFault) and covers(p, path) for p in patterns)


def _check_paths(node: Node, asked: Asked) -> Refusal | None:
    for path in asked.paths:
        if path is None:
            return _refusal("it lies outside of the workspace", _target(asked))
        if not owns(node, path):
            verb = _VERBS[asked.tool] if asked.tool is not None else ""
            return _refusal(f"{_cut(path)} is none of the files you own", f"{verb} {_cut(path)}")
    return None


def _refusal(why: str, target: str) -> Refusal:
    return Refusal(why=why, blocker=f"approval-required: {target}")


def _target(asked: Asked) -> str:
    assert asked.tool is not None
    known = next((path for path in asked.paths if path is not None), None)
    return f"{_VERBS[asked.tool]} {_cut(known) if known is not None else _shown(asked)}".rstrip()


def _shown(asked: Asked) -> str:
    return _cut(asked.words)


def _cut(text: str) -> str:
    return one_line(text, TARGET_BYTES)
