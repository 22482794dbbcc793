"""`session/update`: what an agent tells of its work, made into signs of life."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

from subsessiond.adapters.runners.acp.toolcalls import ToolCalls
from subsessiond.adapters.runners.signs import Signs
from subsessiond.model.node import Phase

_WORDS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "agent_message_chunk": "message",
        "agent_thought_chunk": "thought",
        "plan": "plan",
        "tool_call": "tool-call",
        "tool_call_update": "tool-update",
        "usage_update": "usage",
    }
)
"""Our words: a parent is shown the last sign of a child that fell silent."""

WORDS_CHARACTERS: Final = 600
"""Of what the agent said last; where a provider fails, some agents say it in words alone."""

_CALLS: Final = ("tool_call", "tool_call_update")


class Updates:
    """Reads the updates of one session.

    Args:
        calls: remembers tool calls.
        signs: tells signs of life.
    """

    def __init__(self, calls: ToolCalls, signs: Signs) -> None:
        self._calls = calls
        self._signs = signs
        self.last_words = ""
        """The end of what the agent said to its user, for the operator."""

    def take(self, update: Any, *, in_turn: bool) -> None:
        """Take in one update, of whatever kind.

        Outside of a turn it is no sign of life: a node that waits stands still, though its agent
        may still tell of its commands or its title.
        """
        if not isinstance(update, dict):
            return
        kind = update.get("sessionUpdate")
        if kind in _CALLS:
            self._calls.note(update)
        elif kind == "agent_message_chunk":
            self._keep(update.get("content"))
        if in_turn:
            word = _WORDS.get(kind, "update") if isinstance(kind, str) else "update"
            self._signs.note(word, self.phase)

    def _keep(self, content: Any) -> None:
        text = content.get("text") if isinstance(content, dict) else None
        if isinstance(text, str):
            self.last_words = (self.last_words + text)[-WORDS_CHARACTERS:]

    @property
    def phase(self) -> Phase:
        """What the child is doing."""
        return Phase.IN_TOOL if self._calls.any_open else Phase.WORKING
