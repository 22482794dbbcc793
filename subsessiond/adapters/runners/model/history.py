"""Keeps a conversation within what a model can read: old answers of tools are cut first.

The opening text and what was said to the child stay, and so does all the model said itself. Cutting
changes what a prompt cache knows, so it is done seldom, and then to half.
"""

from dataclasses import replace
from typing import Any, Final

from pydantic_ai.messages import ModelMessage, ModelRequest, ModelRequestPart, ToolReturnPart

from subsessiond.core.words.hands import NOT_READ_AGAIN

HISTORY_BYTES: Final = 384 * 1024
"""Of what tools answered, in one conversation: about 130,000 tokens."""

FRESH: Final = 4
"""So many of the newest messages are never cut."""

LEAST_BYTES: Final = 400
"""A shorter answer is not worth a cut."""


def shorten(said: list[ModelMessage]) -> list[ModelMessage]:
    """Give a conversation as it is to be sent."""
    excess = sum(_size(message) for message in said) - HISTORY_BYTES
    if excess <= 0:
        return said
    spare = excess + HISTORY_BYTES // 2
    kept: list[ModelMessage] = []
    for message in said[:-FRESH]:
        cut = _cut(message) if spare > 0 else message
        spare -= _size(message) - _size(cut)
        kept.append(cut)
    return [*kept, *said[-FRESH:]]


def _size(message: ModelMessage) -> int:
    if not isinstance(message, ModelRequest):
        return 0
    return sum(len(str(p.content)) for p in message.parts if isinstance(p, ToolReturnPart))


def _cut(message: ModelMessage) -> ModelMessage:
    if not isinstance(message, ModelRequest):
        return message
    return replace(message, parts=[_cut_part(part) for part in message.parts])


def _cut_part(part: ModelRequestPart) -> ModelRequestPart:
    if not isinstance(part, ToolReturnPart) or len(str(part.content)) <= LEAST_BYTES:
        return part
    told: Any = part  # its kinds differ in what they hold; all of ours hold text
    cut: ModelRequestPart = replace(
        told, content=NOT_READ_AGAIN.format(size=len(str(part.content)))
    )
    return cut
