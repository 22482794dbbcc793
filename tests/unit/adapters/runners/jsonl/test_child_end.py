import signal
from typing import Any

import pytest

from subsessiond.model.commands import (
    EndChild,
    SubmitReport,
)
from subsessiond.model.node import Author, StopReason
from subsessiond.model.report import Outcome
from tests.support.lineschild import Make, play
from tests.support.stage import Stage


async def test_a_closing_result_is_the_childs_final(here: Stage, make: Make) -> None:
    """Its text is the child's own, whole, and the node completes by it."""
    settled = await play(here, await make({"say": "working"}, {"close": "All done: é."}))
    assert (settled.outcome, settled.reason, settled.author, settled.output) == (
        Outcome.COMPLETED,
        "final-report",
        Author.CHILD,
        "All done: é.",
    )
    assert not here.told(EndChild)


async def test_without_a_closing_text_the_last_words_count(here: Stage, make: Make) -> None:
    """Some programs say their result before the event that ends them."""
    steps: tuple[dict[str, Any], ...] = ({"say": "first"}, {"say": "the answer"}, {"close": {}})
    settled = await play(here, await make(*steps))
    assert (settled.reason, settled.output) == ("final-report", "the answer")


async def test_data_of_a_closing_result_is_held_to_the_schema(here: Stage, make: Make) -> None:
    """What the schema asks for stands in the final; what it refuses fails the child."""
    schema = {"type": "object", "required": ["rows"]}
    good = await make({"close": {"result": "x", "data": {"rows": 3}}}, brief={"schema": schema})
    settled = await play(here, good)
    assert (settled.reason, settled.structured) == ("final-report", {"rows": 3})


@pytest.mark.parametrize(
    ("step", "brief", "code"),
    [
        ({"close": "x" * 1_801}, {}, "REPORT_TOO_LARGE"),
        ({"close": "x" * 200}, {"report_tokens": 50}, "REPORT_TOO_LARGE"),
        ({"close": ""}, {}, "REPORT_INVALID"),
        ({"close": {}}, {}, "REPORT_INVALID"),
        ({"close": "x"}, {"sections": ("risks",)}, "REPORT_CONTRACT"),
        ({"close": {"result": "x", "data": 5}}, {"schema": {"type": "object"}}, "OUTPUT_SCHEMA"),
        ({"close": "x"}, {"schema": {"type": "object"}}, "OUTPUT_SCHEMA"),
    ],
)
async def test_a_refused_closing_result_fails_the_child_and_says_why(
    here: Stage, make: Make, step: dict[str, Any], brief: dict[str, Any], code: str
) -> None:
    """The process is over and cannot mend it; none of its words is passed on cut."""
    settled = await play(here, await make(step, brief=brief))
    assert (settled.outcome, settled.reason, settled.author) == (
        Outcome.FAILED,
        "closing-result-refused",
        Author.RUNTIME,
    )
    assert settled.output.startswith(f"Its closing result was refused: {code}.")
    assert "xx" not in settled.output
    assert code in (settled.diagnostic or "")


async def test_words_without_measure_are_refused_by_their_size(here: Stage, make: Make) -> None:
    """Last words of more than is kept are refused with the size that they had."""
    settled = await play(here, await make({"say": "y" * 100_000}, {"close": {}}))
    assert settled.reason == "closing-result-refused"
    assert "Limit 1800 bytes, it had 100000." in settled.output


async def test_a_flagged_closing_event_is_a_failure(here: Stage, make: Make) -> None:
    """Though it says success and exits 0: the error goes to the operator, not to the parent."""
    event = {"subtype": "success", "is_error": True, "result": "API Error: 529 overloaded"}
    settled = await play(here, await make({"close": event}, {"exit": 0}))
    assert (settled.outcome, settled.reason, settled.stop_reason, settled.output) == (
        Outcome.FAILED,
        "agent-error",
        StopReason.ERROR,
        "",
    )
    assert "API Error: 529 overloaded" in (settled.diagnostic or "")


@pytest.mark.parametrize(
    ("subtype", "reason", "stop_reason"),
    [
        ("max_turns", "turn-limit", StopReason.ERROR),
        ("max_tokens", "max-tokens", StopReason.MAX_TOKENS),
        ("refusal", "refusal", StopReason.REFUSAL),
    ],
)
async def test_a_limit_in_the_closing_event_is_the_reason(
    here: Stage, make: Make, subtype: str, reason: str, stop_reason: StopReason
) -> None:
    """A run that stopped at a limit has not finished, whatever its text says; it may live on."""
    event = {"subtype": subtype, "result": "as far as I got"}
    settled = await play(here, await make({"close": event}, {"sleep": 600}))
    assert (settled.reason, settled.stop_reason, settled.output) == (reason, stop_reason, "")


async def test_an_error_before_an_exit_of_0_is_a_failure(here: Stage, make: Make) -> None:
    """The last error that was told stands in the diagnostic."""
    step = {"line": {"type": "error", "error": "429 rate limit"}}
    settled = await play(here, await make(step, {"exit": 0}))
    assert settled.reason == "agent-error"
    assert "429 rate limit" in (settled.diagnostic or "")


@pytest.mark.parametrize(
    ("step", "reason", "words"),
    [
        ({"exit": 0}, "ended-without-final", "status 0"),
        ({"exit": 3}, "exit-status", "status 3"),
        ({"kill": signal.SIGKILL}, "killed-by-signal", "signal 9"),
    ],
)
async def test_an_exit_without_a_result_settles_the_child(
    here: Stage, make: Make, step: dict[str, Any], reason: str, words: str
) -> None:
    """Each way to leave has its reason, and what it wrote to standard error is kept."""
    steps = ({"say": "hm"}, {"stderr": {"text": "oh no"}}, step)
    settled = await play(here, await make(*steps))
    assert (settled.outcome, settled.reason) == (Outcome.FAILED, reason)
    assert words in (settled.diagnostic or "")
    assert "stderr: oh no" in (settled.diagnostic or "")
    assert settled.produced_bytes == len('{"type": "say", "text": "hm"}\n') + len("oh no")


async def test_output_that_ends_though_the_program_lives(here: Stage, make: Make) -> None:
    """Who closed its output can say nothing any more."""
    settled = await play(here, await make({"say": "hm"}, {"closeOut": 1}, {"sleep": 600}))
    assert settled.reason == "output-closed"


async def test_a_result_counts_though_the_program_hangs(here: Stage, make: Make) -> None:
    """The result is used at once; the program has its grace and is then let go of."""
    child = await make({"close": "done"}, {"say": "late"}, {"close": "later"}, {"sleep": 600})
    settled = await play(here, child)
    assert (settled.outcome, settled.output) == (Outcome.COMPLETED, "done")
    assert len(here.told(SubmitReport)) == 1


async def test_a_turn_that_ends_without_a_result_is_waited_for_so_long(
    here: Stage, make: Make
) -> None:
    """After the grace the child fails, and the reason says that no result came."""
    last = {"line": {"type": "say", "text": "bye", "stop": "end_turn"}}
    settled = await play(here, await make(last, {"sleep": 600}))
    assert (settled.outcome, settled.reason) == (Outcome.FAILED, "no-closing-event")


async def test_a_turn_that_goes_on_is_not_over(here: Stage, make: Make) -> None:
    """What is said after the last message of a turn stops the wait for a result."""
    last = {"line": {"type": "say", "text": "bye", "stop": "end_turn"}}
    more = ({"line": {"type": "tool", "id": "1"}}, {"sleep": 0.7}, {"close": "done"})
    settled = await play(here, await make(last, *more))
    assert settled.output == "done"
