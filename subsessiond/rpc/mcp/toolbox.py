"""Calls the methods behind the tools, and tells what came of it."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import msgspec
from structlog.typing import FilteringBoundLogger

from subsessiond import __version__
from subsessiond.core.bounds import size_bytes
from subsessiond.core.words.tools import NOBODY_INSTRUCTIONS, ROOT_INSTRUCTIONS
from subsessiond.model.brief import FieldFault
from subsessiond.model.ledger import Part
from subsessiond.model.node import Node
from subsessiond.model.rejection import Code, Rejection
from subsessiond.rpc.call import Call, Handler
from subsessiond.rpc.desk import Desk
from subsessiond.rpc.invoke import Entry, Failure, invoke
from subsessiond.rpc.mcp.announcing import announced
from subsessiond.rpc.mcp.arguments import read_arguments
from subsessiond.rpc.mcp.results import Result, add_texts, answer_text, refusal_result, text_result
from subsessiond.rpc.mcp.riding import riding_mail
from subsessiond.rpc.mcp.table import INBOX, TOOLS, Tool, shown
from subsessiond.rpc.shown import (
    is_shown,
    letters_of,
    named,
    parts_of_answer,
    parts_of_refusal,
)
from subsessiond.wire.canonical import compact_bytes
from subsessiond.wire.errors import INVALID_PARAMS, error_object, malformed
from subsessiond.wire.methods import METHODS

_NO_OBJECT = FieldFault(path="arguments", problem="must be an object")
# Why not what the operator may see: it is bounded for a person's eyes, not for a model.
_NOBODY = Rejection(code=Code.NOT_ALLOWED, step="node", detail=NOBODY_INSTRUCTIONS)

SERVER = {"name": "subsession", "version": __version__}


class Told(NamedTuple):
    """What a call is answered, and what of it is shown of whom."""

    result: Result
    size: int = 0
    """Bytes of its texts, and of its data."""
    parts: tuple[Part, ...] | None = None
    """None where it is no answer to a parent."""


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
        tools = shown(node, self._roles)
        if node is not None:
            self._desk.channels.note(node.node_id)
            fixed = (self.instructions(call) or "").encode()
            self._desk.ledger.define(node.node_id, len(compact_bytes(tools)) + len(fixed))
        return tools

    def instructions(self, call: Call) -> str | None:
        """Say what the tools are for; a child was told by its first words."""
        node = self._node(call)
        if node is None:
            return NOBODY_INSTRUCTIONS
        return ROOT_INSTRUCTIONS if node.is_root else None

    async def call(self, tool: Tool, arguments: Any, call: Call) -> Told:
        """Call a tool: whatever happens becomes a result, not yet counted as shown."""
        result, answer = await self._called(tool, arguments, call)
        reader = call.caller.node_id
        refused = result.get("structuredContent", {}).get("code")
        if reader is None or not is_shown(tool.method, refused):
            return Told(result)
        size = _size(result)
        subject = named(arguments) if isinstance(arguments, dict) else None
        if answer is None:
            parts = parts_of_refusal(self._desk.tree, reader, tool.method, size, subject)
        elif tool is INBOX:
            parts = letters_of(answer)
        else:
            parts = parts_of_answer(self._desk.tree, reader, tool.method, answer, subject)
        return Told(result, size, parts)

    def show(self, told: Told, call: Call) -> Result:
        """Give a result that goes out now, and count it as shown."""
        if call.caller.node_id is not None and told.parts is not None:
            self._desk.ledger.show(call.caller.node_id, told.size, told.parts)
        return told.result

    async def _called(
        self, tool: Tool, arguments: Any, call: Call
    ) -> tuple[Result, msgspec.Raw | None]:
        """Call a tool: what its caller is told, and the method's answer where it gave one."""
        if not isinstance(arguments, dict):
            return refusal_result(malformed(INVALID_PARAMS, (_NO_OBJECT,)), tool, {}), None
        if call.caller.node_id is None:
            return refusal_result(error_object(_NOBODY), tool, arguments), None
        params = read_arguments(tool, arguments)
        if isinstance(params, tuple):
            return refusal_result(malformed(INVALID_PARAMS, params), tool, arguments), None
        answer = await invoke(self._entries[tool.name], call, params, self.log)
        if isinstance(answer, Failure):
            return refusal_result(answer.error, tool, arguments, self._roles), None
        return text_result(answer_text(tool, msgspec.json.decode(answer))), answer

    def ride(self, result: Result, call: Call) -> Result:
        """Let what the caller has not read yet ride on an answer that goes out now."""
        texts = riding_mail(self._desk, call) + announced(self._desk, call)
        return add_texts(result, texts) if texts else result

    @property
    def _roles(self) -> tuple[str, ...]:
        return tuple(sorted(role.name for role in self._desk.registry.policy.roles))

    def _node(self, call: Call) -> Node | None:
        node_id = call.caller.node_id
        return self._desk.tree.nodes.get(node_id) if node_id is not None else None


def _size(result: Result) -> int:
    """Count the bytes of all texts, and of a refusal's data: some agents show that beside them."""
    texts = sum(size_bytes(part["text"]) for part in result["content"])
    data = result.get("structuredContent")
    return texts if data is None else texts + len(compact_bytes(data))
