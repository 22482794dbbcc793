from subsessiond.core.bounds import size_bytes
from subsessiond.core.words.denied import denied


def test_a_refusal_says_why_and_what_to_report() -> None:
    """The child is told what was refused, that nobody will allow it, and its blocker's name."""
    assert denied("x is none of the files you own", "approval-required: fs write x") == (
        "Refused: x is none of the files you own. Asking again is no use: nobody is there to allow "
        "it. If you can finish without it, go on. If not, report with stage final and outcome "
        "blocked, and name this blocker: approval-required: fs write x"
    )


def test_it_adds_little_to_what_it_tells() -> None:
    """A refusal costs the child's context about fifty tokens."""
    assert size_bytes(denied("", "")) <= 220
