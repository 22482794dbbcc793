"""A conversation within what a model can read."""

import pytest
from pydantic_ai.messages import (
    ModelMessage,
    ModelRequest,
    ModelResponse,
    TextPart,
    ToolReturnPart,
    UserPromptPart,
)

from subsessiond.adapters.runners.model import history
from subsessiond.adapters.runners.model.history import FRESH, shorten


def conversation(answers: int, size: int) -> list[ModelMessage]:
    """Make a mission and so many steps, each with an answer of a tool."""
    said: list[ModelMessage] = [ModelRequest(parts=[UserPromptPart(content="mission " * 50)])]
    for number in range(answers):
        said.append(ModelResponse(parts=[TextPart(content="call " * 100)]))
        part = ToolReturnPart(tool_name="t", content="x" * size, tool_call_id=str(number))
        said.append(ModelRequest(parts=[part, UserPromptPart(content="steer " * 90)]))
    return said


def answers_of(said: list[ModelMessage]) -> list[str]:
    """Give what tools answered."""
    return [
        str(part.content)
        for message in said
        if isinstance(message, ModelRequest)
        for part in message.parts
        if isinstance(part, ToolReturnPart)
    ]


def test_a_conversation_that_fits_is_left_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever its number of messages: a prompt cache lives on that."""
    monkeypatch.setattr(history, "HISTORY_BYTES", 10_000)
    said = conversation(10, 1_000)
    assert shorten(said) is said


def test_old_answers_are_cut_first_and_seldom(monkeypatch: pytest.MonkeyPatch) -> None:
    """Down to half at once; missions, what was said and the newest answers stay as they are."""
    monkeypatch.setattr(history, "HISTORY_BYTES", 10_000)
    said = conversation(11, 1_000)
    short = shorten(said)
    assert len(short) == len(said)
    found = answers_of(short)
    cut = [text for text in found if text.startswith("(cut: this was an answer of 1000 bytes")]
    assert found == [*cut, *answers_of(said)[len(cut) :]]
    assert sum(map(len, found)) <= 5_000 < sum(map(len, found)) + 1_000 - len(cut[0])
    assert shorten(short) is short
    assert short[0] == said[0]
    assert short[-FRESH:] == said[-FRESH:]
    kept = [p for m in short for p in m.parts if not isinstance(p, ToolReturnPart)]
    assert kept == [p for m in said for p in m.parts if not isinstance(p, ToolReturnPart)]


def test_small_answers_are_not_worth_a_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    """What would be saved is less than what is lost."""
    monkeypatch.setattr(history, "HISTORY_BYTES", 1_000)
    said = conversation(20, 100)
    assert answers_of(shorten(said)) == answers_of(said)
