import pytest

from subsessiond.adapters.runners.claude.ending import NO_WORDS, ending_of_turn
from subsessiond.adapters.runners.claude.reading import TurnEnd
from subsessiond.model.node import StopReason


@pytest.mark.parametrize(
    ("end", "stop_reason", "reason"),
    [
        (TurnEnd(stop_reason="refusal", is_error=True), StopReason.REFUSAL, "refusal"),
        (
            TurnEnd(api_error="max_output_tokens", is_error=True),
            StopReason.MAX_TOKENS,
            "max-tokens",
        ),
        (TurnEnd(subtype="error_max_turns", is_error=True), StopReason.ERROR, "turn-limit"),
        (TurnEnd(subtype="error_max_budget_usd", is_error=True), StopReason.ERROR, "agent-error"),
        (TurnEnd(subtype="success", is_error=True), StopReason.ERROR, "agent-error"),
        (TurnEnd(subtype="brand_new", is_error=True), StopReason.ERROR, "agent-error"),
    ],
)
def test_some_ends_of_a_turn_end_the_run(
    end: TurnEnd, stop_reason: StopReason, reason: str
) -> None:
    """After these nothing is gained by asking, and none of them promotes what was said before."""
    ending = ending_of_turn(end)
    assert ending is not None
    assert (ending.stop_reason, ending.reason) == (stop_reason, reason)
    assert not ending.promotes


@pytest.mark.parametrize(
    "end",
    [
        TurnEnd(),
        TurnEnd(subtype="success", stop_reason="end_turn"),
        TurnEnd(subtype="brand_new", stop_reason="brand_new"),
        TurnEnd(subtype="error_during_execution", is_error=True, terminal="aborted_streaming"),
        TurnEnd(subtype="error_during_execution", is_error=True, terminal="aborted_tools"),
    ],
)
def test_every_other_end_is_the_end_of_a_turn(end: TurnEnd) -> None:
    """Success is not believed, nor an unknown word; who was interrupted may be asked."""
    assert ending_of_turn(end) is None


def test_the_words_of_an_error_are_for_the_operator() -> None:
    """They stand in the diagnostic; where there are none, that is said."""
    told = ending_of_turn(TurnEnd(is_error=True, words=" API Error: 529 \n"))
    assert told is not None
    assert told.said == "its turn ended: API Error: 529"
    mute = ending_of_turn(TurnEnd(is_error=True, words="  "))
    assert mute is not None
    assert mute.said == NO_WORDS
