from typing import Any

import pytest

from subsessiond.adapters.runners.claude.reading import WORDS_BYTES, Told, TurnEnd, read_line
from subsessiond.model.usage import Usage

FIGURES = {
    "input_tokens": 7,
    "cache_read_input_tokens": 5,
    "cache_creation_input_tokens": 3,
    "output_tokens": 1,
}


def test_a_message_tells_its_calls_and_what_it_read() -> None:
    """Of its output only the first token is known while it streams, so that is left out."""
    content = [
        {"type": "text", "text": "I look."},
        {"type": "tool_use", "id": "t1", "name": "Read"},
    ]
    message = {"id": "m1", "content": content, "usage": FIGURES}
    told = read_line({"type": "assistant", "message": message, "user_message_uuids": ["u1", 4]})
    assert told == Told(
        sign="tool-call",
        began=("t1",),
        message_id="m1",
        usage=Usage(input=7, cache_read=5, cache_write=3),
        taken=("u1",),
    )
    words = read_line({"type": "assistant", "message": {"content": content[:1]}})
    assert (words.sign, words.began, words.usage) == ("message", (), Usage())


def test_what_a_tool_answered_ends_its_call() -> None:
    """Our own words, shown again, are no sign of life: they tell that the model is shown them."""
    content = [{"type": "tool_result", "tool_use_id": "t1", "content": "x"}]
    answered = {"type": "user", "message": {"content": content}}
    assert read_line(answered) == Told(sign="tool-update", ended=("t1",))
    shown = {"type": "user", "isReplay": True, "uuid": "u1", "message": {"content": "hello"}}
    assert read_line(shown) == Told(taken=("u1",))
    assert read_line({"type": "user", "message": {"content": "[Request interrupted]"}}) == Told()


@pytest.mark.parametrize(
    ("state", "told"),
    [
        ("queued", Told()),
        ("started", Told(taken=("u1",))),
        ("completed", Told(taken=("u1",))),
        ("cancelled", Told(dropped=("u1",))),
        ("brand_new", Told()),
    ],
)
def test_it_is_known_what_became_of_a_message(state: str, told: Told) -> None:
    """One that only waits has neither been shown nor been dropped."""
    frame = {"type": "command_lifecycle", "command_uuid": "u1", "state": state}
    assert read_line(frame) == told


def test_the_end_of_a_turn_is_told_whole() -> None:
    """Its own words for it, what was said last, and what the turn used."""
    frame = {
        "type": "result",
        "subtype": "success",
        "is_error": True,
        "stop_reason": "stop_sequence",
        "terminal_reason": "api_error",
        "api_error": "max_output_tokens",
        "result": "API Error",
        "errors": ["more", 4],
        "usage": FIGURES,
        "user_message_uuids": ["u1", "u2"],
    }
    assert read_line(frame) == Told(
        taken=("u1", "u2"),
        end=TurnEnd(
            subtype="success",
            is_error=True,
            stop_reason="stop_sequence",
            terminal="api_error",
            api_error="max_output_tokens",
            words="API Error\nmore",
            usage=Usage(input=7, cache_read=5, cache_write=3, output=1),
        ),
    )


def test_an_end_whose_fields_are_nonsense_is_still_an_end() -> None:
    """Only a true truth value is an error, and its words are bounded."""
    frame: dict[str, Any] = {"type": "result", "is_error": "yes", "errors": "x", "usage": [1]}
    assert read_line(frame) == Told(end=TurnEnd())
    long = read_line({"type": "result", "result": "é" * WORDS_BYTES})
    assert long.end is not None
    assert len(long.end.words.encode()) <= WORDS_BYTES


@pytest.mark.parametrize(
    ("frame", "told"),
    [
        ({"type": "system", "subtype": "api_retry"}, Told(sign="rate-limited", waits=True)),
        ({"type": "system", "subtype": "thinking_tokens"}, Told(sign="thought")),
        ({"type": "stream_event"}, Told(sign="message")),
        ({"type": "system", "subtype": "init"}, Told()),
        ({"type": "system"}, Told()),
        ({"type": "keep_alive"}, Told()),
        ({"type": "tool_progress"}, Told()),
        ({"type": ["result"]}, Told()),
        ({}, Told()),
        ({"type": "assistant"}, Told(sign="message")),
        ({"type": "assistant", "message": "x"}, Told(sign="message")),
        ({"type": "user", "message": {"content": [1, {"type": "tool_result"}]}}, None),
    ],
)
def test_signs_of_life_are_told_from_heartbeats(frame: dict[str, Any], told: Told | None) -> None:
    """A clock that ticks in the agent says nothing of its work; broken lines break nothing."""
    assert read_line(frame) == (told or Told(sign="tool-update", ended=("",)))
