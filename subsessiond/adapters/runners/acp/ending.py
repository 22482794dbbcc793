"""How a turn ended, or the agent itself, and what that makes of the child."""

import signal
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

from subsessiond.adapters.runners.acp.connection import AnsweredError
from subsessiond.model.base import Value
from subsessiond.model.node import StopReason
from subsessiond.model.process import Exit


class Ending(Value, frozen=True, kw_only=True):
    """Why a child's run is over, as a failure."""

    stop_reason: StopReason
    reason: str
    said: str
    """For the operator: what happened, in our words and the agent's."""
    promotes: bool = False
    """Whether it ended cleanly, so that its last words may count as its final."""


_STOPS: Final[Mapping[str, tuple[StopReason, str]]] = MappingProxyType(
    {
        "refusal": (StopReason.REFUSAL, "refusal"),
        "max_tokens": (StopReason.MAX_TOKENS, "max-tokens"),
        "max_turn_requests": (StopReason.ERROR, "turn-limit"),
    }
)
"""Stop reasons after which asking on is no use. All others, unknown ones too, just end a turn."""


def ending_of_turn(answer: Any) -> Ending | None:
    """Judge the answer to a prompt; none where the child may go on."""
    if isinstance(answer, AnsweredError):
        said = f"the agent answered its prompt with {answer}"
        return Ending(stop_reason=StopReason.ERROR, reason="agent-error", said=said)
    word = answer.get("stopReason") if isinstance(answer, dict) else None
    stop = _STOPS.get(word) if isinstance(word, str) else None
    if stop is None:
        return None
    return Ending(stop_reason=stop[0], reason=stop[1], said=f"its turn ended: {word}")


def ending_of_exit(ended: Exit | None, *, in_turn: bool) -> Ending:
    """Judge the end of the process; none = it lives on, but cannot be spoken with."""
    words, reason = _exit_words(ended)
    clean = ended is not None and ended.code == 0
    when = " in the middle of a turn" if in_turn else ""
    return Ending(
        stop_reason=StopReason.ERROR,
        reason=reason,
        said=f"{words}{when}",
        promotes=clean and not in_turn,
    )


def _exit_words(ended: Exit | None) -> tuple[str, str]:
    if ended is None:
        return "the agent cannot be spoken with any more", "connection-lost"
    if ended.signal is not None:
        return f"the agent was ended by signal {_named(ended.signal)}", "killed-by-signal"
    if ended.code is None:
        return "the agent ended; its status was lost", "status-lost"
    reason = "ended-without-final" if ended.code == 0 else "exit-status"
    return f"the agent exited with status {ended.code}", reason


def _named(number: int) -> str:
    try:
        return f"{number} ({signal.Signals(number).name})"
    except ValueError:  # one of the real-time signals
        return str(number)
