import pytest

from subsessiond.adapters.runners.jsonl.course import (
    CALLS_MOST,
    FAILURE_BYTES,
    WORDS_BYTES,
    Course,
    Spoken,
)
from subsessiond.adapters.runners.jsonl.reading import Closing, Reading
from subsessiond.core.bounds import size_bytes
from subsessiond.model.node import Phase
from subsessiond.model.usage import Usage


def phases(*readings: Reading) -> list[Phase]:
    """Give the phase after each of these lines of one run."""
    course = Course()
    return [(course.take(reading), course.phase)[1] for reading in readings]


@pytest.mark.parametrize(
    ("reading", "sign"),
    [
        (Reading(), ""),
        (Reading(closing=Closing()), "closing-event"),
        (Reading(failure="no"), "error"),
        (Reading(rate_limited=True, failure="no"), "error"),
        (Reading(rate_limited=True), "rate-limited"),
        (Reading(tools_started=("1",), words=("a",)), "tool-start"),
        (Reading(tools_ended=("1",)), "tool-end"),
        (Reading(turn_end=True, words=("a",)), "turn-end"),
        (Reading(words=("a",)), "words"),
        (Reading(total=Usage(output=1)), "usage"),
    ],
)
def test_a_line_that_says_something_is_a_sign_of_life(reading: Reading, sign: str) -> None:
    """The most telling thing of a line names it; a line that says nothing is no sign."""
    assert Course().take(reading) == sign


def test_the_last_words_replace_those_before() -> None:
    """Of whole texts the last one stands, the parts of one line together."""
    course = Course()
    course.take(Reading(words=("first",)))
    course.take(Reading(words=("a", "b")))
    assert course.spoken == Spoken(text="ab", bytes_said=2)


def test_pieces_join_until_something_else_is_said() -> None:
    """Pieces that follow one another are one text; a tool call between them begins a new one."""
    course = Course(in_pieces=True)
    course.take(Reading(words=("let me ",)))
    course.take(Reading(words=("look",)))
    course.take(Reading(tools_started=("1",)))
    course.take(Reading(tools_ended=("1",)))
    course.take(Reading(words=("done, ",)))
    course.take(Reading())
    course.take(Reading(words=("véry",)))
    assert course.spoken == Spoken(text="done, véry", bytes_said=11)


def test_words_without_end_are_measured_and_not_kept() -> None:
    """What no contract allows is not held in memory, and its size is known all the same."""
    course = Course(in_pieces=True)
    for _ in range(5):
        course.take(Reading(words=("x" * (WORDS_BYTES // 2),)))
    assert course.spoken == Spoken(text="", bytes_said=5 * (WORDS_BYTES // 2))
    course.take(Reading(words=("y" * WORDS_BYTES,)))
    course.take(Reading(tools_started=("1",)))
    course.take(Reading(words=("short",)))
    assert course.spoken.text == "short"


def test_it_is_in_a_tool_until_the_last_open_call_ends() -> None:
    """Calls are told apart by id; one that is told of twice is one."""
    begun, again = Reading(tools_started=("1", "2")), Reading(tools_started=("1",))
    one, two = Reading(tools_ended=("1",)), Reading(tools_ended=("2",))
    assert phases(begun, again, one, two, two) == [
        Phase.IN_TOOL,
        Phase.IN_TOOL,
        Phase.IN_TOOL,
        Phase.WORKING,
        Phase.WORKING,
    ]


def test_calls_without_an_id_are_counted() -> None:
    """As many ends as starts are needed."""
    start, end = Reading(tools_started=("",)), Reading(tools_ended=("",))
    assert phases(start, start, end, end)[1:] == [Phase.IN_TOOL, Phase.IN_TOOL, Phase.WORKING]


def test_calls_without_end_are_not_all_remembered() -> None:
    """Beyond a bound calls are not told apart any more."""
    course = Course()
    course.take(Reading(tools_started=tuple(map(str, range(CALLS_MOST + 10)))))
    course.take(Reading(tools_ended=tuple(map(str, range(CALLS_MOST)))))
    assert course.phase is Phase.WORKING


def test_a_provider_that_makes_wait_is_a_phase_until_the_next_word() -> None:
    """Rate limited lasts until the agent says anything else."""
    found = phases(Reading(rate_limited=True), Reading(words=("on we go",)))
    assert found == [Phase.RATE_LIMITED, Phase.WORKING]


def test_a_turn_that_goes_on_has_not_ended() -> None:
    """What is said after the last message of a turn begins another."""
    course = Course()
    course.take(Reading(turn_end=True))
    assert course.turn_ended
    course.take(Reading())
    assert course.turn_ended
    course.take(Reading(tools_started=("1",)))
    assert not course.turn_ended


def test_nothing_counts_after_the_closing_event() -> None:
    """Words, errors, calls and another closing event change nothing any more."""
    course = Course()
    course.take(Reading(words=("said",)))
    course.take(Reading(closing=Closing(text="first")))
    late = Reading(closing=Closing(text="second"), words=("x",), failure="y", tools_started=("1",))
    assert course.take(late) == ""
    assert course.closing == Closing(text="first")
    assert (course.spoken.text, course.failure, course.phase) == ("said", "", Phase.WORKING)


def test_an_error_is_remembered_within_a_bound() -> None:
    """The last error stands for the diagnostic, cut; one without words says so."""
    course = Course()
    course.take(Reading(failure="é" * FAILURE_BYTES))
    assert size_bytes(course.failure) <= FAILURE_BYTES
    course.take(Reading(failure=""))
    assert course.failure == "an error without words"
