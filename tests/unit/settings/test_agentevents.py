import tomllib

import pytest

from subsessiond.model.eventmap import EventMap
from subsessiond.ports import ConfigFault
from subsessiond.settings.agentevents import read_events
from subsessiond.settings.tables import Table

WHOLE = """
text = ["result", "message.0.text"]
structured = "data"
error = "is_error"
error_text = ["result", "error.message"]
words_text = "text"
words_in_pieces = true
tool_start_id = "content.*.id"
tool_end_id = "content.*.call"
message_id = "id"
usage = "usage"
usage_without = ["output"]
total = "all"
summary = "sum"
input = ["in", "-cached"]
cache_read = ["cached"]
cache_write = ["stored"]
output = ["out"]
closing = { type = ["result", "failed"], "a.b" = "1" }
failing = { type = "error" }
turn_end = { stop = "end_turn" }
words = { type = "text" }
rate_limited = { subtype = "api_retry" }
tool_start = { type = "tool" }
tool_end = { type = "tool_end" }
[ends]
turn-limit = { subtype = "error_max_turns" }
"""


def read(text: str) -> EventMap:
    """Read the map of one agent."""
    return read_events(Table("agents.toml", "agents.a.events", tomllib.loads(text)))


def test_every_word_of_a_map_is_read() -> None:
    """Each word comes out as it stands; several values of a path are several rows of it."""
    assert read(WHOLE) == EventMap(
        text=("result", "message.0.text"),
        structured="data",
        error=("is_error",),
        error_text=("result", "error.message"),
        words_text="text",
        words_in_pieces=True,
        tool_start_id="content.*.id",
        tool_end_id="content.*.call",
        message_id="id",
        usage="usage",
        usage_without=("output",),
        total="all",
        summary="sum",
        input=("in", "-cached"),
        cache_read=("cached",),
        cache_write=("stored",),
        output=("out",),
        closing=(("a.b", "1"), ("type", "result"), ("type", "failed")),
        failing=(("type", "error"),),
        turn_end=(("stop", "end_turn"),),
        words=(("type", "text"),),
        rate_limited=(("subtype", "api_retry"),),
        tool_start=(("type", "tool"),),
        tool_end=(("type", "tool_end"),),
        ends=(("turn-limit", (("subtype", "error_max_turns"),)),),
    )


def test_no_map_says_nothing() -> None:
    """An empty table is the empty map."""
    assert read("") == EventMap()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("colour = 1", "[agents.a.events] colour: there is no such word"),
        ('usage = "a..b"', "[agents.a.events] usage: must be a path"),
        ('text = "a b"', "[agents.a.events] text: must be a path"),
        ('input = ["--a."]', "[agents.a.events] input: must be a path"),
        ('closing = { "" = "x" }', "[agents.a.events.closing] '': must be a path"),
        ("closing = { type = [] }", "[agents.a.events.closing] type: names no value"),
        ("closing = { type = 1 }", "[agents.a.events.closing] type: must be a list"),
        ('ends = { bored = { a = "b" } }', "[agents.a.events.ends] bored: there is no such word"),
        ('usage_without = ["tokens"]', "usage_without: must name figures: input, cache_read"),
        ("words_in_pieces = 1", "words_in_pieces: must be true or false"),
    ],
)
def test_a_bad_map_is_refused_by_word(text: str, words: str) -> None:
    """Unknown words, paths that are none and matches without a value are named."""
    with pytest.raises(ConfigFault) as caught:
        read(text)
    assert words in str(caught.value)
