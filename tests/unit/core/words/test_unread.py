from subsessiond.core.bounds import estimated_tokens, size_bytes
from subsessiond.core.words.unread import unread_told, waiting_told


def test_mail_is_told_of_and_never_told() -> None:
    """An agent learns that there is mail and how to read it, in a sentence of one size."""
    assert unread_told(1) == (
        "Before you finish: you have a message from a subagent that you have not read. "
        "Call subsession_inbox, and do what follows from it."
    )
    assert "you have 12 messages from your subagents that" in unread_told(12)
    assert estimated_tokens(size_bytes(unread_told(10**6))) <= 60


def test_mail_is_told_of_on_an_answer() -> None:
    """In one short sentence, whatever else the answer holds."""
    said = "You have a message from a subagent that you have not read: call subsession_inbox."
    assert waiting_told(1) == said
    assert "2 messages from your subagents" in waiting_told(2)
    assert estimated_tokens(size_bytes(waiting_told(10**6))) <= 35
