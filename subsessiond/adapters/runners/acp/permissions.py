"""`session/request_permission`: answered at once, by a rule older than the child.

Nobody is asked. Options are picked by their kind and never for longer than this one time: what an
agent offers to keep ("always") it may keep for its user, beyond this child. So where nothing is on
offer but to allow or to reject for ever, the answer is `cancelled`, which grants nothing either.
"""

import asyncio
from typing import Any, Final

from subsessiond.adapters.runners.acp.toolcalls import PATHS_MOST, ToolCall, ToolCalls
from subsessiond.adapters.runners.ownership import real_path
from subsessiond.adapters.runners.refusals import Refusals
from subsessiond.adapters.runners.toolnames import classes_of
from subsessiond.core.permit import Asked, Refusal, permit
from subsessiond.model.node import Node
from subsessiond.model.role import AgentProfile

SERVER: Final = "subsession"
"""The name under which agents are given our MCP server."""

OWN_TOOLS: Final = (
    "report",
    "subsession_checkpoint",
    "subsession_spawn",
    "subsession_succeed",
    "subsession_inbox",
    "subsession_tree",
    "subsession_node",
    "subsession_steer",
    "subsession_cancel",
)
"""Whether this node may use one of them is decided where they are served."""

_SPELLINGS: Final = (
    "mcp__{server}__{tool}",
    "mcp_{server}_{tool}",
    "mcp.{server}.{tool}",
    "{server}__{tool}",
    "{server}_{tool}",
    "{server}-{tool}",
    "{server}.{tool}",
    "{server}/{tool}",
    "{server}:{tool}",
    "{tool} ({server} MCP Server)",
    "tools.mcp_{server}_{tool}",
)
OWN_NAMES: Final = frozenset(
    spelling.format(server=SERVER, tool=tool) for spelling in _SPELLINGS for tool in OWN_TOOLS
)
"""Whole names only: a command that merely begins like one of them is a command."""

_OUR_KINDS: Final = frozenset(("other",))
"""What agents take our tools for, where they say anything."""

CANCELLED: Final[dict[str, Any]] = {"outcome": {"outcome": "cancelled"}}


class Permissions:
    """Answers what one child's agent asks for.

    Args:
        profile: what the agent calls its tools.
        calls: what it said of its calls.
        refusals: remembers what was refused.
    """

    def __init__(self, profile: AgentProfile, calls: ToolCalls, refusals: Refusals) -> None:
        self._profile = profile
        self._calls = calls
        self._refusals = refusals
        self._judging = asyncio.Lock()

    async def answer(self, node: Node, params: dict[str, Any]) -> dict[str, Any]:
        """Pick an option for one request."""
        details = params.get("toolCall")
        call = self._calls.note(details if isinstance(details, dict) else {})
        refusal = None if is_own(call) else await self._judged(node, call)
        if refusal is None:
            return _picked(params, "allow_once")
        self._refusals.add(refusal)
        return _picked(params, "reject_once")

    async def _judged(self, node: Node, call: ToolCall) -> Refusal | None:
        """Judge in a thread. One at a time: threads are few, and other children ask as well."""
        async with self._judging:
            return await asyncio.to_thread(self._judge, node, call)

    def _judge(self, node: Node, call: ToolCall) -> Refusal | None:
        """Hold a call against role, brief and files; looks at the disk for real paths."""
        named = call.paths()
        paths = tuple(real_path(node.workspace, name) for name in named[:PATHS_MOST])
        if len(named) > PATHS_MOST:
            paths = (*paths, None)  # what is not looked at is not granted
        classes = classes_of(self._profile, call.spelled, call.kinds, call.names)
        for tool in classes or (None,):
            if refusal := permit(node, Asked(tool=tool, paths=paths, words=call.title)):
                return refusal
        return None


def is_own(call: ToolCall) -> bool:
    """Tell whether a call is one of our own MCP tools: nobody has to allow a child to report.

    Why the first name: it is the agent's. A later title may be what the model says that it does,
    and a model may write any words into the input of any tool.
    """
    if call.acts or not _OUR_KINDS.issuperset(call.kinds):
        return False
    if OWN_NAMES.intersection((*call.names[:1], *call.spelled[:1])):
        return True
    named = call.server_tool
    return named is not None and named[0] == SERVER and named[1] in OWN_TOOLS


def _picked(params: dict[str, Any], kind: str) -> dict[str, Any]:
    options = params.get("options")
    for option in options if isinstance(options, list) else ():
        if isinstance(option, dict) and option.get("kind") == kind:
            chosen = option.get("optionId")
            if isinstance(chosen, str):
                return {"outcome": {"outcome": "selected", "optionId": chosen}}
    return CANCELLED
