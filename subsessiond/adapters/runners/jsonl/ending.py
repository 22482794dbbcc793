"""How a run ended that gave no final, by its closing event or by its exit. Pure."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from subsessiond.adapters.runners.jsonl.reading import Closing
from subsessiond.model.base import Value
from subsessiond.model.eventmap import EventMap
from subsessiond.model.node import StopReason
from subsessiond.model.process import Exit

NO_FINAL: Final = "ended-without-final"
AGENT_ERROR: Final = "agent-error"

_STOP_REASONS: Final[Mapping[str, StopReason]] = MappingProxyType(
    {"max-tokens": StopReason.MAX_TOKENS, "refusal": StopReason.REFUSAL}
)


class Ending(Value, frozen=True, kw_only=True):
    """What is to be said of a run that is over."""

    reason: str
    words: str
    """For the operator."""
    shown: str = ""
    """For the parent: never words of the agent or its provider."""
    stop_reason: StopReason = StopReason.ERROR
    promotes: bool = False
    """Whether it ended cleanly, so that its last report may be its final."""


def ending_of_closing(closing: Closing) -> Ending:
    """Say what a closing event makes of a run that gives no final by it."""
    if closing.end:
        return Ending(
            reason=closing.end,
            words=closing.error_text or f"its closing event says: {closing.end}",
            stop_reason=_STOP_REASONS.get(closing.end, StopReason.ERROR),
        )
    if closing.is_error:
        return Ending(
            reason=AGENT_ERROR,
            words=closing.error_text or "its closing event is an error without words",
        )
    return Ending(reason=NO_FINAL, words="its closing event came without a final", promotes=True)


def ending_of_silence(events: EventMap) -> Ending:
    """Say what is to be made of a program whose turn ended, and which neither closes nor leaves."""
    if events.closing:
        words = "its turn ended, and no closing event came"
        return Ending(reason="no-closing-event", words=words, promotes=True)
    return Ending(reason=NO_FINAL, words="its turn ended without a final", promotes=True)


def ending_of_exit(ended: Exit | None, failure: str) -> Ending:
    """Say what the end of its process makes of a run that has not closed.

    Args:
        ended: how it left; none where only its output ended.
        failure: words of an error that it told before; empty where it told none.
    """
    if ended is None:
        return Ending(reason="output-closed", words="it closed its output and did not leave")
    if ended.signal is not None:
        return Ending(reason="killed-by-signal", words=f"it was ended by signal {ended.signal}")
    if ended.is_unknown:
        return Ending(reason="status-lost", words="it ended, and its status was lost")
    words = f"it exited with status {ended.code}"
    if ended.code:
        return Ending(reason="exit-status", words=words)
    if failure:
        return Ending(reason=AGENT_ERROR, words=words)
    return Ending(reason=NO_FINAL, words=f"{words} without a final", promotes=True)
