"""What a parent is told that has mail it has not read: on an answer, and before its turn ends."""


def waiting_told(count: int) -> str:
    """Tell that mail has come, on the answer to something else.

    Args:
        count: how many messages; at least one.
    """
    return f"You have {_mail(count)} that you have not read: call subsession_inbox."


def unread_told(count: int) -> str:
    """Tell that there is mail, and how to read it; of what stands in it not a word.

    Why not the mail itself: its reader would take this for the words of the person it works for,
    and what a child wrote must never pass for them.

    Args:
        count: how many messages; at least one.
    """
    return (
        f"Before you finish: you have {_mail(count)} that you have not read. Call "
        "subsession_inbox, and do what follows from it."
    )


def _mail(count: int) -> str:
    return "a message from a subagent" if count == 1 else f"{count} messages from your subagents"
