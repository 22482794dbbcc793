"""Calls the methods behind the tools, and tells what came of it."""

from collections.abc import Mapping
from typing import Any

import msgspec
from structlog.typing import FilteringBoundLogger

from subsessiond import __version__
from subsessiond.core.words.tools import NOBODY_INSTRUCTIONS, ROOT_INSTRUCTIONS
from subsessiond.model.brief import FieldFault
from subsessiond.model.node import Node
from subsessiond.model.rejection import Code, Rejection
from subsessiond.rpc.call import Call, Handler
from subsessiond.rpc.desk import Desk
from subsessiond.rpc.invoke import Entry, Failure, invoke
from subsessiond.rpc.mcp.arguments import read_arguments
from subsessiond.rpc.mcp.results import Result, add_texts, answer_text, refusal_result, text_result
from subsessiond.rpc.mcp.riding import riding_mail
from subsessiond.rpc.mcp.table import TOOLS, Tool, shown
from subsessiond.wire.errors import INVALID_PARAMS, error_object, malformed
from subsessiond.wire.methods import METHODS

_NO_OBJECT = FieldFault(path="arguments", problem="must be an object")
# Why not what the operator may see: it is bounded for a person's eyes, not for a model.
_NOBODY = Rejection(code=Code.NOT_ALLOWED, step="node", detail=NOBODY_INSTRUCTIONS)

SERVER = {"name": "subsession", "version": __version__}


class Toolbox:
    """All tools, bound to a desk."""

    def __init__(
        self, desk: Desk, handlers: Mapping[str, Handler], log: FilteringBoundLogger
    ) -> None:
        models = {method.name: method.params for method in METHODS}
        self._entries = {
            tool.name: Entry(tool.method, models[tool.method], handlers[tool.method])
            for tool in TOOLS
        }
        self._desk = desk
        self.log = log

    def shown(self, call: Call) -> list[dict[str, Any]]:
        """Describe the tools that are there for a caller, and know that its agent has seen them."""
        node = self._node(call)
        if node is not None:
            self._desk.channels.note(node.node_id)
        return shown(node, self._roles)

    def instructions(self, call: Call) -> str | None:
        """Say what the tools are for; a child was told by its first words."""
        node = self._node(call)
        if node is None:
            return NOBODY_INSTRUCTIONS
        return ROOT_INSTRUCTIONS if node.is_root else None

    async def call(self, tool: Tool, arguments: Any, call: Call) -> Result:
        """Call a tool: whatever happens becomes a result."""
        if not isinstance(arguments, dict):
            return refusal_result(malformed(INVALID_PARAMS, (_NO_OBJECT,)), tool, {})
        if call.caller.node_id is None:
            return refusal_result(error_object(_NOBODY), tool, arguments)
        params = read_arguments(tool, arguments)
        if isinstance(params, tuple):
            return refusal_result(malformed(INVALID_PARAMS, params), tool, arguments)
        answer = await invoke(self._entries[tool.name], call, params, self.log)
        if isinstance(answer, Failure):
            return refusal_result(answer.error, tool, arguments, self._roles)
        return text_result(answer_text(tool, msgspec.json.decode(answer)))

    def ride(self, result: Result, call: Call) -> Result:
        """Let what the caller has not read yet ride on an answer that goes out now."""
        texts = riding_mail(self._desk, call)
        return add_texts(result, texts) if texts else result

    @property
    def _roles(self) -> tuple[str, ...]:
        return tuple(sorted(role.name for role in self._desk.registry.policy.roles))

    def _node(self, call: Call) -> Node | None:
        node_id = call.caller.node_id
        return self._desk.tree.nodes.get(node_id) if node_id is not None else None
