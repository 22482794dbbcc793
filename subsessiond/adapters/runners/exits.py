"""How an agent's process ended, and what that makes of the child that it worked for."""

import signal

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
