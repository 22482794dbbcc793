"""Law: whatever a program prints, its line is read, and what is remembered of it has a bound."""

import tomllib
from importlib.resources import files
from typing import Any, Final

from hypothesis import given
from hypothesis import strategies as st

from subsessiond.adapters.runners.jsonl.course import CALLS_MOST, WORDS_BYTES, Course
from subsessiond.adapters.runners.jsonl.reading import Reading, read_line
from subsessiond.adapters.runners.meter import Meter
from subsessiond.model.eventmap import EventMap
from subsessiond.settings.agents import read_agents
from tests.support.headless import EVENT_MAP

_SHIPPED: Final = read_agents(
    tomllib.loads(files("subsessiond.defaults").joinpath("agents.toml").read_text("utf-8"))
)[0]
MAPS: Final = (EVENT_MAP, *(agent.events for agent in _SHIPPED if agent.runner == "jsonl"))


def _words(events: EventMap) -> set[str]:
    """Give every word that a map looks for, and every value."""
    matches = (
        *(events.closing, events.failing, events.turn_end, events.words, events.rate_limited),
        *(events.tool_start, events.tool_end, *(match for _, match in events.ends)),
    )
    paths = [events.structured, events.words_text, events.message_id, events.usage, events.total]
    paths += [*events.text, *events.error, *events.error_text, *events.input, *events.output]
    paths += [path for match in matches for path, _ in match]
    values = {value for match in matches for _, value in match}
    return {word for path in paths for word in path.split(".") if word} | values


WORDS: Final = sorted(set().union(*map(_words, MAPS)))
NUMBERS: Final = st.one_of(st.integers(), st.floats(allow_nan=False), st.just(10**30))
VALUES: Final = st.recursive(
    st.one_of(st.none(), st.booleans(), NUMBERS, st.text(max_size=20), st.sampled_from(WORDS)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.dictionaries(st.sampled_from(WORDS), inner, max_size=5),
    ),
    max_leaves=30,
)
LINES: Final = st.dictionaries(st.sampled_from(WORDS), VALUES, max_size=8)


@given(st.sampled_from(MAPS), st.lists(LINES, max_size=20))
def test_any_line_is_read_and_what_is_kept_is_bounded(
    events: EventMap, lines: list[dict[str, Any]]
) -> None:
    """No line raises, every total can be told, and nothing changes after the closing event."""
    course, meter = Course(in_pieces=events.words_in_pieces), Meter()
    for line in lines:
        closed, before = course.closing, course.spoken
        reading = read_line(events, line)
        for usage in (reading.usage, reading.total, reading.summary):
            assert usage is None or all(
                figure is None or figure >= 0
                for figure in (usage.input, usage.cache_read, usage.cache_write, usage.output)
            )
        if reading.usage is not None:
            meter.message(reading.message_id, reading.usage)
        assert bool(course.take(reading)) is (closed is None and reading != Reading())
        if closed is not None:
            assert (course.closing, course.spoken) == (closed, before)
    meter.total()
    assert len(course.spoken.text.encode(errors="replace")) <= WORDS_BYTES


@given(st.lists(st.text(max_size=3), max_size=50))
def test_calls_that_never_end_are_so_many_at_most(names: list[str]) -> None:
    """Whatever ids calls have, the memory of them is bounded."""
    course = Course()
    for n in range(40):
        course.take(Reading(tools_started=tuple(f"{name}{n}" for name in names) or ("",)))
    held = course._calls  # noqa: SLF001 -- only its size says that it is bounded
    assert len(held) <= CALLS_MOST
