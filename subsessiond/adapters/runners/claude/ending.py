"""What the end of a turn makes of the child. Pure.

`success` is a word of the agent's, and is not believed: only a report says that the work is done.
"""

from typing import Final

from subsessiond.adapters.runners.claude.reading import TurnEnd
from subsessiond.adapters.runners.exits import Ending
from subsessiond.model.node import StopReason

ABORTED: Final = "aborted"
"""What its words for a turn begin with that was interrupted."""

NO_WORDS: Final = "its turn ended with an error without words"


def ending_of_turn(end: TurnEnd) -> Ending | None:
    """Judge the end of a turn; none where the child may go on."""
    if end.stop_reason == "refusal":
        return Ending(stop_reason=StopReason.REFUSAL, reason="refusal", said=_said(end))
    if end.api_error == "max_output_tokens":
        return Ending(stop_reason=StopReason.MAX_TOKENS, reason="max-tokens", said=_said(end))
    if end.subtype == "error_max_turns":
        return Ending(stop_reason=StopReason.ERROR, reason="turn-limit", said=_said(end))
    if not end.is_error or end.terminal.startswith(ABORTED):
        return None
    return Ending(stop_reason=StopReason.ERROR, reason="agent-error", said=_said(end))


def _said(end: TurnEnd) -> str:
    return f"its turn ended: {end.words.strip()}" if end.words.strip() else NO_WORDS
