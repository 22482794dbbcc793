from subsessiond.core.words.answers import mail_text, saved


def test_mail_is_shown_as_it_was_framed() -> None:
    """Messages stand apart, one that comes again is marked, the rest is a number."""
    assert mail_text((), 0) == "No messages."
    assert mail_text((("one", False),), 0) == "one"
    assert mail_text((("one", True), ("two\nlines", False)), 3) == (
        "(again) one\n\ntwo\nlines\n\n3 more: acknowledge these to read on."
    )


def test_a_checkpoint_is_answered_by_its_pointer() -> None:
    """Nothing else is known of it."""
    assert saved("workspaceFile:x#3") == "checkpoint saved: workspaceFile:x#3"
