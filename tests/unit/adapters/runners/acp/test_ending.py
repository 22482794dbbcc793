from typing import Any

import pytest

from subsessiond.adapters.runners.acp.connection import AnsweredError
from subsessiond.adapters.runners.acp.ending import ending_of_exit, ending_of_turn
from subsessiond.model.node import StopReason
from subsessiond.model.process import Exit


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


@pytest.mark.parametrize(
    ("ended", "reason", "words"),
    [
        (Exit(code=0), "ended-without-final", "exited with status 0"),
        (Exit(code=3), "exit-status", "exited with status 3"),
        (Exit(signal=9), "killed-by-signal", "signal 9 (SIGKILL)"),
        (Exit(signal=250), "killed-by-signal", "signal 250"),
        (Exit(), "status-lost", "status was lost"),
        (None, "connection-lost", "cannot be spoken with"),
    ],
)
def test_every_end_of_the_agent_has_its_reason(ended: Exit | None, reason: str, words: str) -> None:
    """How it went is told apart, and whether a turn was running."""
    idle, busy = ending_of_exit(ended, in_turn=False), ending_of_exit(ended, in_turn=True)
    assert idle.reason == busy.reason == reason
    assert words in idle.said
    assert busy.said.endswith("in the middle of a turn")
    assert idle.promotes is (ended == Exit(code=0))
    assert not busy.promotes
