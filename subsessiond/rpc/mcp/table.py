"""The one table of tools: which method each calls, and which parameters it has."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

from subsessiond.core.words.tools import TOOL_WORDS
from subsessiond.model.node import Node
from subsessiond.model.role import ToolClass

TEXT: Final = "string"
WHOLE: Final = "integer"
FLAG: Final = "boolean"
TEXTS: Final = "array"

ROLES_MOST: Final = 40
"""Roles that are listed for a model; beyond it the parameter is plain text."""


@dataclass(frozen=True, slots=True)
class Field:
    """One parameter.

    No parameter is called `kind`, `summary` or `security_risk`: public agents have fields of their
    own by these names and fail.
    """

    name: str
    shape: str = TEXT
    required: bool = False
    choices: tuple[str, ...] = ()
    parents_only: bool = False
    """Only shown to those who may have children."""


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool."""

    name: str
    method: str
    fields: tuple[Field, ...]
    always: bool = False
    """Whether agents that hide tools until they are searched for must show this one."""

    @property
    def names(self) -> tuple[str, ...]:
        """Names of its parameters."""
        return tuple(field.name for field in self.fields)


_KEY = Field("idempotencyKey")
_WAIT = Field("waitMs", WHOLE)
_NODE = Field("nodeId", required=True)

REPORT: Final = Tool(
    "report",
    "subsession.report",
    (
        Field("output", required=True),
        Field("stage", choices=("progress", "finding", "final")),
        Field("outcome", choices=("completed", "blocked", "failed")),
        Field("blockers", TEXTS),
        Field("openQuestions", TEXTS),
        Field("files", TEXTS),
        Field("sections", TEXTS),
        Field("structured"),
        Field("endChildren", FLAG, parents_only=True),
        _KEY,
    ),
    always=True,
)

CHECKPOINT: Final = Tool(
    "subsession_checkpoint",
    "subsession.checkpoint",
    (
        Field("phase", required=True),
        Field("state", required=True),
        Field("nextStep", required=True),
        Field("decisions", TEXTS),
        Field("files", TEXTS),
    ),
    always=True,
)

SPAWN: Final = Tool(
    "subsession_spawn",
    "subsession.spawn",
    (
        Field("role", required=True),
        Field("mission", required=True),
        Field("title"),
        Field("ownedGlobs", TEXTS),
        Field("context", TEXTS),
        Field("tokenCap", WHOLE),
        Field("depthAllowance", WHOLE),
        Field("requiredSections", TEXTS),
        Field("maxReportTokens", WHOLE),
        Field("outputSchema"),
        Field("deadlineMs", WHOLE),
        Field("continues"),
        Field("allowOverlap", FLAG),
        _KEY,
        _WAIT,
        Field("checkOnly", FLAG),
    ),
    # Why: beside an agent's own way to start others, one that has to be searched for is not found.
    always=True,
)

SUCCEED: Final = Tool(
    "subsession_succeed",
    "subsession.succeed",
    (
        Field("childId", required=True),
        Field("role"),
        Field("mission"),
        Field("tokenCap", WHOLE),
        _KEY,
        _WAIT,
    ),
)

INBOX: Final = Tool(
    "subsession_inbox",
    "subsession.inbox",
    (Field("acknowledge", FLAG), _WAIT, Field("maxTokens", WHOLE)),
    # Why: its reader is told to call it, and must not have to look for it then.
    always=True,
)

TREE: Final = Tool(
    "subsession_tree",
    "subsession.tree",
    (Field("after"), Field("limit", WHOLE), Field("sinceSeq", WHOLE), _WAIT),
)

STEER: Final = Tool("subsession_steer", "subsession.steer", (_NODE, Field("text", required=True)))

CHILD_TOOLS: Final = (REPORT, CHECKPOINT)
PARENT_TOOLS: Final = (
    SPAWN,
    SUCCEED,
    INBOX,
    STEER,
    Tool("subsession_cancel", "subsession.cancel", (_NODE, _WAIT)),
    TREE,
    Tool("subsession_node", "subsession.node", (_NODE,)),
)
TOOLS: Final = CHILD_TOOLS + PARENT_TOOLS


def tool_named(name: Any) -> Tool | None:
    """Give the tool of a name."""
    return next((tool for tool in TOOLS if tool.name == name), None)


def tools_of(node: Node | None) -> tuple[Tool, ...]:
    """Give the tools that a node's agent is shown; none to whoever is no node.

    A tool that is not shown can still be called: its method knows who may call it.
    """
    if node is None:
        return ()
    if node.is_root:
        return PARENT_TOOLS
    return TOOLS if _is_parent(node) else CHILD_TOOLS


def shown(node: Node | None, roles: tuple[str, ...]) -> list[dict[str, Any]]:
    """Describe the tools of a node as `tools/list` does; what is given is shared, and not changed.

    Args:
        node: Whose agent asks.
        roles: Names that a spawn may give.
    """
    parent = node is not None and _is_parent(node)
    return [_shown(tool, roles, parent=parent) for tool in tools_of(node)]


def _is_parent(node: Node) -> bool:
    return node.is_root or (node.role is not None and ToolClass.DELEGATE in node.role.tools)


@lru_cache(maxsize=64)
def _shown(tool: Tool, roles: tuple[str, ...], *, parent: bool) -> dict[str, Any]:
    described = {
        "name": tool.name,
        "description": TOOL_WORDS[tool.name].text,
        "inputSchema": {
            "type": "object",
            "properties": dict(_properties(tool, roles, parent=parent)),
            "required": [field.name for field in tool.fields if field.required],
            "additionalProperties": False,
        },
        # Why read-only: agents put every other tool to an approval that nobody would answer. What
        # these change lies in the daemon, which decides itself who may.
        "annotations": {"readOnlyHint": True, "destructiveHint": False, "openWorldHint": False},
    }
    return {**described, "_meta": {"anthropic/alwaysLoad": True}} if tool.always else described


def _properties(
    tool: Tool, roles: tuple[str, ...], *, parent: bool
) -> Iterable[tuple[str, dict[str, Any]]]:
    for field in tool.fields:
        if field.parents_only and not parent:
            continue
        schema: dict[str, Any] = {
            "type": field.shape,
            "description": TOOL_WORDS[tool.name].of(field.name),
        }
        choices = roles if field.name == "role" and len(roles) <= ROLES_MOST else field.choices
        if choices:
            schema["enum"] = list(choices)
        if field.shape == TEXTS:
            schema["items"] = {"type": "string"}
        yield field.name, schema
