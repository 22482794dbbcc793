from typing import Any

import pytest
from msgspec.structs import replace

from subsessiond.adapters.runners.jsonl.reading import Closing, Reading, read_line, usage_at
from subsessiond.model.eventmap import EventMap
from subsessiond.model.usage import FIGURE_MOST, Usage

EVENTS = EventMap(
    closing=(("type", "result"), ("type", "failed")),
    text=("result", "text"),
    structured="data",
    error=("is_error", "error"),
    error_text=("error.message", "result"),
    failing=(("type", "error"),),
    ends=(("turn-limit", (("subtype", "max_turns"),)),),
    turn_end=(("stop", "end_turn"),),
    words=(("type", "say"),),
    words_text="parts.*.text",
    rate_limited=(("type", "retry"),),
    tool_start=(("type", "call"),),
    tool_start_id="calls.*.id",
    tool_end=(("type", "answer"),),
    tool_end_id="call",
    message_id="id",
    usage="usage",
    total="all",
    summary="sum",
    input=("in", "more.in", "-hit"),
    cache_read=("hit",),
    cache_write=("put",),
    output=("out",),
)


@pytest.mark.parametrize(
    ("line", "reading"),
    [
        ({}, Reading()),
        ({"type": "ping", "id": "m"}, Reading()),
        (
            {"type": "result", "result": "done", "data": {"a": 1}},
            Reading(closing=Closing(text="done", structured={"a": 1})),
        ),
        ({"type": "result", "text": "other"}, Reading(closing=Closing(text="other"))),
        ({"type": "result", "result": 5}, Reading(closing=Closing())),
        ({"type": "result", "is_error": False}, Reading(closing=Closing())),
        (
            {"type": "result", "is_error": True, "result": "API Error: 529"},
            Reading(
                closing=Closing(text="API Error: 529", is_error=True, error_text="API Error: 529")
            ),
        ),
        (
            {"type": "failed", "error": {"message": "overloaded"}, "subtype": "max_turns"},
            Reading(closing=Closing(is_error=True, error_text="overloaded", end="turn-limit")),
        ),
        ({"type": "error", "error": {"message": "once"}}, Reading(failure="once")),
        ({"type": "error"}, Reading(failure="")),
        ({"type": "say", "parts": [{"text": "a"}, {"text": "b"}]}, Reading(words=("a", "b"))),
        ({"type": "say", "stop": "end_turn"}, Reading(turn_end=True)),
        ({"type": "retry"}, Reading(rate_limited=True)),
        ({"type": "call", "calls": [{"id": "1"}, {"id": "2"}]}, Reading(tools_started=("1", "2"))),
        ({"type": "call"}, Reading(tools_started=("",))),
        ({"type": "answer", "call": "1"}, Reading(tools_ended=("1",))),
        (
            {"id": "m1", "usage": {"in": 5, "hit": 2, "out": 1}},
            Reading(message_id="m1", usage=Usage(input=3, cache_read=2, output=1)),
        ),
        ({"all": {"out": 9}}, Reading(total=Usage(output=9))),
        ({"sum": {"out": 9}}, Reading()),
        (
            {"type": "result", "sum": {"out": 9}},
            Reading(closing=Closing(), summary=Usage(output=9)),
        ),
    ],
)
def test_a_line_says_what_the_map_makes_of_it(line: dict[str, Any], reading: Reading) -> None:
    """Each kind of line is read by its match, and an unknown one says nothing."""
    assert read_line(EVENTS, line) == reading


@pytest.mark.parametrize(
    ("used", "usage"),
    [
        ({"in": 5, "more": {"in": 2}}, Usage(input=7)),
        ({"in": 5, "hit": 9}, Usage(input=0, cache_read=9)),
        ({"hit": 4}, Usage(cache_read=4)),
        ({"in": 0, "out": 0}, Usage(input=0, output=0)),
        ({"in": -5, "out": "7", "put": True}, None),
        ({"in": FIGURE_MOST + 1, "out": 1}, Usage(output=1)),
        ("many", None),
        (None, None),
    ],
)
def test_a_usage_has_the_figures_that_are_there(used: Any, usage: Usage | None) -> None:
    """A figure that is missing or no count is none and never zero."""
    assert usage_at(EVENTS, {"usage": used}, "usage") == usage


@pytest.mark.parametrize(
    ("used", "usage"),
    [
        ({"in": 5, "out": 1}, Usage(input=5)),
        ({"out": 1}, None),
        ({}, None),
    ],
)
def test_figures_that_are_not_true_yet_are_not_read(
    used: dict[str, int], usage: Usage | None
) -> None:
    """What a message has only begun to say is left out of its usage, and not of a total."""
    events = replace(EVENTS, usage_without=("output",))
    assert read_line(events, {"id": "m", "usage": used}).usage == usage
    assert read_line(events, {"all": {"out": 1}}).total == Usage(output=1)


def test_an_empty_map_reads_nothing() -> None:
    """Without a map no line says anything."""
    assert read_line(EventMap(), {"type": "result", "usage": {"input": 1}}) == Reading()


def test_a_conversation_has_the_name_that_stands_there() -> None:
    """Whatever line it is on; what is no text is no name."""
    events = replace(EVENTS, session="thread.id")
    assert read_line(events, {"thread": {"id": "t"}}) == Reading(session="t")
    assert read_line(events, {"thread": {"id": ["t"]}}) == Reading()
    assert read_line(EVENTS, {"thread": {"id": "t"}}) == Reading()
