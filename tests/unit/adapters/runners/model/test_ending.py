"""How a loop ends without the child's own word."""

from subsessiond.adapters.runners.model.ending import (
    fault_ending,
    limit_ending,
    stop_ending,
    unreadable_ending,
)
from subsessiond.adapters.runners.model.speech import ModelFault, Stop
from subsessiond.model.node import StopReason


def test_each_end_has_its_own_reason() -> None:
    """A limit of the answer, a refusal, a turn without end, and a model that cannot call."""
    found = {
        ending.reason: ending.stop_reason
        for ending in (
            stop_ending(Stop.LENGTH, "m"),
            stop_ending(Stop.REFUSAL, "m"),
            limit_ending(200),
            unreadable_ending(5),
        )
    }
    assert found == {
        "max-tokens": StopReason.MAX_TOKENS,
        "refusal": StopReason.REFUSAL,
        "turn-limit": StopReason.ERROR,
        "model-error": StopReason.ERROR,
    }


def test_a_fault_is_told_with_its_status_and_how_often_it_was_tried() -> None:
    """The operator reads which model, what it answered and in which words."""
    words = fault_ending(ModelFault("slow down", status=429), 6, "m1").words
    assert words == "m1: HTTP status 429, 6 requests in a row: slow down"
    assert fault_ending(ModelFault("gone"), 1, "m1").words == "m1: no answer: gone"
