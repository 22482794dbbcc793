import pytest

from subsessiond.adapters.runners.jsonl.ending import (
    ending_of_closing,
    ending_of_exit,
    ending_of_silence,
)
from subsessiond.adapters.runners.jsonl.reading import Closing
from subsessiond.model.eventmap import EventMap
from subsessiond.model.node import StopReason
from subsessiond.model.process import Exit


@pytest.mark.parametrize(
    ("closing", "reason", "stop_reason", "promotes"),
    [
        (Closing(text="done"), "ended-without-final", StopReason.ERROR, True),
        (Closing(is_error=True), "agent-error", StopReason.ERROR, False),
        (Closing(is_error=True, end="turn-limit"), "turn-limit", StopReason.ERROR, False),
        (Closing(end="max-tokens"), "max-tokens", StopReason.MAX_TOKENS, False),
        (Closing(end="refusal"), "refusal", StopReason.REFUSAL, False),
    ],
)
def test_a_closing_event_says_how_the_run_ended(
    closing: Closing, reason: str, stop_reason: StopReason, promotes: bool
) -> None:
    """An error and a limit are failures of their own kind; only a clean end may promote."""
    ending = ending_of_closing(closing)
    assert (ending.reason, ending.stop_reason, ending.promotes) == (reason, stop_reason, promotes)
    assert ending.words
    assert not ending.shown


def test_the_providers_words_are_for_the_operator() -> None:
    """The words of an error go into the diagnostic, and are not shown to a parent."""
    ending = ending_of_closing(Closing(is_error=True, error_text="529 overloaded"))
    assert (ending.words, ending.shown) == ("529 overloaded", "")


@pytest.mark.parametrize(
    ("ended", "failure", "reason", "promotes"),
    [
        (Exit(code=0), "", "ended-without-final", True),
        (Exit(code=0), "429", "agent-error", False),
        (Exit(code=3), "", "exit-status", False),
        (Exit(code=3), "429", "exit-status", False),
        (Exit(signal=9), "", "killed-by-signal", False),
        (Exit(), "", "status-lost", False),
        (None, "", "output-closed", False),
    ],
)
def test_an_exit_says_how_the_run_ended(
    ended: Exit | None, failure: str, reason: str, promotes: bool
) -> None:
    """Each way to go has its reason; status 0 after an error is no clean end."""
    ending = ending_of_exit(ended, failure)
    assert (ending.reason, ending.promotes) == (reason, promotes)


def test_status_and_signal_stand_in_the_words() -> None:
    """The operator reads the number."""
    assert ending_of_exit(Exit(code=3), "").words == "it exited with status 3"
    assert ending_of_exit(Exit(signal=9), "").words == "it was ended by signal 9"


def test_a_turn_that_ended_and_nothing_more_lacks_its_closing_event() -> None:
    """Where there is such an event the reason says that none came."""
    assert ending_of_silence(EventMap(closing=(("a", "b"),))).reason == "no-closing-event"
    assert ending_of_silence(EventMap()).reason == "ended-without-final"
