"""What a child is asked, and what it is answered."""

from collections.abc import Mapping
from typing import Any

from subsessiond.model.ids import MessageId

ASK_FINAL = (
    "Your turn ended without a final report. Send it now, with stage final: outcome completed, "
    "blocked or failed, and an output that stands on its own."
)

WRAP_UP = (
    "You have used nearly all tokens you were given; what is left pays for your last report. Start "
    "nothing new. Save a checkpoint, then send your final: completed if the work is done, else "
    "blocked or failed, with what is done and what is left."
)

WRITE_A_FILE = "write a file you own and send its path"


def accepted(message: MessageId) -> str:
    """Answer a report that is durable."""
    return f"report accepted by the agent that started you as message {message}"


def counted(message: MessageId) -> str:
    """Answer a report that is durable but will only be counted."""
    return (
        f"report kept as message {message}; as many as may be delivered were delivered before, "
        "so the agent that started you sees only their count until your final"
    )


def hired(answer: Mapping[str, Any]) -> dict[str, Any]:
    """Give of an answer to a spawn what a model has a use for; of a mere check, no id: nobody has
    it.
    """
    told = {name: answer[name] for name in ("nodeId", "state") if "wouldAdmit" not in answer}
    told |= {name: answer[name] for name in ("wouldAdmit",) if name in answer}
    return {**told, "warnings": answer["warnings"]} if answer["warnings"] else told


def saved(pointer: str) -> str:
    """Answer a checkpoint that is durable."""
    return f"checkpoint saved: {pointer}"


def ask_blocked(refused: tuple[tuple[str, str], ...]) -> str:
    """Tell a child whose turn is over what it was refused, and how to leave it to a person.

    Args:
        refused: Why, and the blocker to report, of each.
    """
    told = "\n".join(f"- {why}; blocker: {blocker}" for why, blocker in refused)
    return (
        f"Your turn ended after you were refused:\n{told}\nAsking again is no use: nobody is there "
        "to allow it. If you can finish without it, go on. If not, report with stage final and "
        "outcome blocked, and name these blockers."
    )


def mail_text(messages: tuple[tuple[str, bool], ...], more: int) -> str:
    """Show a mailbox: each message as it is, those shown before marked so, the rest by count.

    Args:
        messages: Text of each, and whether it was shown before.
        more: How many are not shown.
    """
    if not messages:
        return "No messages."
    rest = (f"{more} more: acknowledge these to read on.",) if more else ()
    return "\n\n".join((*_shown(messages), *rest))


def mail_prompt(messages: tuple[tuple[str, bool], ...], more: int) -> str:
    """Begin a turn with mail: each message as it is, those shown before marked so.

    Args:
        messages: Text of each, and whether it was shown before; at least one.
        more: How many are not shown; these begin the next turn.
    """
    rest = (f"{more} more: they come when this turn is over.",) if more else ()
    return "\n\n".join((*_shown(messages), *rest))


def shown_text(text: str, *, again: bool) -> str:
    """Show one message: as it is, or marked where it was shown before."""
    return f"(again) {text}" if again else text


def _shown(messages: tuple[tuple[str, bool], ...]) -> tuple[str, ...]:
    return tuple(shown_text(text, again=again) for text, again in messages)
