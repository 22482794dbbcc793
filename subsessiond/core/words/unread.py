"""What a parent is told that is about to end its turn with mail it has not read."""


def unread_told(count: int) -> str:
    """Tell that there is mail, and how to read it; of what stands in it not a word.

    Why not the mail itself: its reader would take this for the words of the person it works for,
    and what a child wrote must never pass for them.

    Args:
        count: how many messages; at least one.
    """
    what = "a message from a subagent" if count == 1 else f"{count} messages from your subagents"
    return (
        f"Before you finish: you have {what} that you have not read. Call subsession_inbox, and do "
        "what follows from it."
    )
