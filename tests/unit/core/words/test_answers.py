from subsessiond.core.bounds import estimated_tokens, size_bytes
from subsessiond.core.words.answers import ask_blocked, hired, mail_prompt, mail_text, saved


def test_mail_is_shown_as_it_was_framed() -> None:
    """Messages stand apart, one that comes again is marked, the rest is a number."""
    assert mail_text((), 0) == "No messages."
    assert mail_text((("one", False),), 0) == "one"
    assert mail_text((("one", True), ("two\nlines", False)), 3) == (
        "(again) one\n\ntwo\nlines\n\n3 more: acknowledge these to read on."
    )


def test_mail_that_begins_a_turn_is_shown_alike() -> None:
    """But for the rest: nothing has to be done to read on."""
    assert mail_prompt((("one", False),), 0) == "one"
    assert mail_prompt((("one", True), ("two", False)), 3) == (
        "(again) one\n\ntwo\n\n3 more: they come when this turn is over."
    )


def test_an_admission_is_told_without_what_no_model_needs() -> None:
    """Who and how it stands, warnings if there are any; a mere check names nobody."""
    answer = {"nodeId": "n", "state": "claimed", "claimedAt": 1, "warnings": []}
    assert hired(answer) == {"nodeId": "n", "state": "claimed"}
    assert hired(answer | {"warnings": ["w"]})["warnings"] == ["w"]
    assert hired(answer | {"wouldAdmit": True}) == {"wouldAdmit": True}


def test_a_checkpoint_is_answered_by_its_pointer() -> None:
    """Nothing else is known of it."""
    assert saved("workspaceFile:x#3") == "checkpoint saved: workspaceFile:x#3"


def test_a_refused_child_is_told_what_to_do() -> None:
    """What was refused, the blocker to name, and both ways to go on; short, whatever it was."""
    text = ask_blocked((("src/x is none of yours", "approval-required: fs write src/x"),))
    assert text == (
        "Your turn ended after you were refused:\n"
        "- src/x is none of yours; blocker: approval-required: fs write src/x\n"
        "Asking again is no use: nobody is there to allow it. If you can finish without it, go on. "
        "If not, report with stage final and outcome blocked, and name these blockers."
    )
    many = ask_blocked(tuple(("w" * 250, "b" * 250) for _ in range(8)))
    assert estimated_tokens(size_bytes(many)) <= 1_600
