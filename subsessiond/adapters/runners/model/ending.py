"""How a run of the loop ends without the child's own word. Pure."""

from subsessiond.adapters.runners.model.speech import ModelFault, Stop
from subsessiond.model.base import Value
from subsessiond.model.node import StopReason


class Ending(Value, frozen=True, kw_only=True):
    """What the settled record is to say."""

    reason: str
    stop_reason: StopReason = StopReason.ERROR
    words: str = ""
    """For the operator; may be long and hold anything."""


def stop_ending(stop: Stop, model: str) -> Ending:
    """End on an answer that was cut off or withheld."""
    if stop is Stop.REFUSAL:
        words = f"{model} withheld its answer (refusal or content filter)"
        return Ending(reason="refusal", stop_reason=StopReason.REFUSAL, words=words)
    words = f"{model} reached the limit of its answer"
    return Ending(reason="max-tokens", stop_reason=StopReason.MAX_TOKENS, words=words)


def fault_ending(fault: ModelFault, tries: int, model: str) -> Ending:
    """End on requests that came to nothing."""
    how = f"HTTP status {fault.status}" if fault.status is not None else "no answer"
    count = f", {tries} requests in a row" if tries > 1 else ""
    return Ending(reason="model-error", words=f"{model}: {how}{count}: {fault.words}")


def limit_ending(steps: int) -> Ending:
    """End on a turn that goes on and on."""
    return Ending(reason="turn-limit", words=f"one turn took {steps} requests")


def unreadable_ending(calls: int) -> Ending:
    """End on a model that cannot call tools."""
    return Ending(
        reason="model-error", words=f"{calls} tool calls in a row could not be read as calls"
    )
