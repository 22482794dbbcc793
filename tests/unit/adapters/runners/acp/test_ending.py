from typing import Any

import pytest

from subsessiond.adapters.runners.acp.connection import AnsweredError
from subsessiond.adapters.runners.acp.ending import ending_of_turn
from subsessiond.model.node import StopReason


@pytest.mark.parametrize(
    ("word", "stop_reason", "reason"),
    [
        ("refusal", StopReason.REFUSAL, "refusal"),
        ("max_tokens", StopReason.MAX_TOKENS, "max-tokens"),
        ("max_turn_requests", StopReason.ERROR, "turn-limit"),
    ],
)
def test_some_ends_of_a_turn_end_the_run(word: str, stop_reason: StopReason, reason: str) -> None:
    """After these nothing is gained by asking."""
    ending = ending_of_turn({"stopReason": word})
    assert ending is not None
    assert (ending.stop_reason, ending.reason) == (stop_reason, reason)
    assert not ending.promotes


@pytest.mark.parametrize(
    "answer",
    [
        {"stopReason": "end_turn"},
        {"stopReason": "cancelled"},
        {"stopReason": "brand_new"},
        {"stopReason": None},
        {"stopReason": ["refusal"]},
        {"_meta": {"stopReason": "refusal"}},
        {},
        None,
        "text",
    ],
)
def test_every_other_end_is_the_end_of_a_turn(answer: Any) -> None:
    """A stop reason that nobody knows is neither success nor failure; the child is asked."""
    assert ending_of_turn(answer) is None


def test_an_error_ends_the_run_with_the_providers_words() -> None:
    """What the agent says of its provider's error stands in the diagnostic."""
    error = AnsweredError(
        {"code": -32603, "message": "API Error: 529", "data": {"kind": "overload"}}
    )
    ending = ending_of_turn(error)
    assert ending is not None
    assert (ending.stop_reason, ending.reason) == (StopReason.ERROR, "agent-error")
    assert "error -32603: API Error: 529" in ending.said
    assert "overload" in ending.said
