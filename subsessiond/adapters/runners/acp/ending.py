"""How a turn ended, and what that makes of the child."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

from subsessiond.adapters.runners.acp.connection import AnsweredError
from subsessiond.adapters.runners.exits import Ending
from subsessiond.model.node import StopReason

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
