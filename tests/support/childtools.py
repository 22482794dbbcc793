"""The daemon's own tools for runners on a stage: the two that every child has."""

from typing import Any

from subsessiond.adapters.runners.childwords import checkpoint_command, report_command
from subsessiond.core.words import accepted
from subsessiond.core.words.tools import TOOL_WORDS
from subsessiond.model.commands import Caller
from subsessiond.model.ids import MessageId, NodeId
from subsessiond.model.rejection import Rejection
from subsessiond.ports import OfferedTool, ToolAnswer, Voice

NAMES = ("report", "subsession_checkpoint")


class StageTools:
    """Submits what a child says as a method would, and keeps what it was called with."""

    def __init__(self, voice: Voice) -> None:
        self._voice = voice
        self.called: list[tuple[str, dict[str, Any]]] = []

    def offered(self, node_id: NodeId) -> tuple[OfferedTool, ...]:
        """Give both."""
        del node_id
        schema = {"type": "object", "properties": {}}
        return tuple(
            OfferedTool(name=name, text=TOOL_WORDS[name].text, schema=schema) for name in NAMES
        )

    async def call(self, node_id: NodeId, name: str, arguments: dict[str, Any]) -> ToolAnswer:
        """Submit it."""
        self.called.append((name, arguments))
        node, caller = self._voice.tree.nodes[node_id], Caller(node_id=node_id)
        make = report_command if name == "report" else checkpoint_command
        reply = await self._voice.submit(make(arguments, node, caller, self._voice))
        if isinstance(reply, Rejection):
            return ToolAnswer(text=f"Refused: {reply.code}", refused=True)
        return ToolAnswer(text=accepted(MessageId(f"{node_id}.1")))
