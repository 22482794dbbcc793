from subsessiond.core.scrub.scrubber import Scrubber
from subsessiond.core.scrub.spoken import scrubbed
from subsessiond.model.commands import (
    Caller,
    ConfirmGone,
    EndChild,
    EndTurn,
    FailStart,
    NoteSign,
    SubmitReport,
)
from subsessiond.model.ids import NodeId
from subsessiond.model.node import StopReason
from subsessiond.model.report import Outcome, Report, Stage

NODE = NodeId("n")
SECRET, LEFT = "failed with API_KEY=abc", "failed with API_KEY=[removed]"
SCRUBBER = Scrubber()


def test_the_end_of_a_child_is_scrubbed() -> None:
    """Its diagnostic and the runtime's report lose their secrets."""
    said = EndChild(
        node=NODE,
        outcome=Outcome.FAILED,
        stop_reason=StopReason.ERROR,
        reason="exited",
        output=SECRET,
        diagnostic=SECRET,
        at_ms=1,
        awake_ms=1,
    )
    clean = scrubbed(said, SCRUBBER)
    assert isinstance(clean, EndChild)
    assert (clean.output, clean.diagnostic, clean.reason) == (LEFT, LEFT, "exited")


def test_what_is_not_said_stays_unsaid() -> None:
    """An end without a diagnostic gets none."""
    said = EndChild(
        node=NODE,
        outcome=Outcome.COMPLETED,
        stop_reason=StopReason.COMPLETED,
        reason="exited",
        at_ms=1,
        awake_ms=1,
    )
    assert scrubbed(said, SCRUBBER) == said


def test_failed_starts_and_leftovers_are_scrubbed() -> None:
    """A command line that is told because it failed, or is left, tells no secret."""
    said = FailStart(node=NODE, why=SECRET, diagnostic=SECRET, at_ms=1, awake_ms=1)
    failed = scrubbed(said, SCRUBBER)
    assert isinstance(failed, FailStart)
    assert (failed.why, failed.diagnostic) == (LEFT, LEFT)
    gone = ConfirmGone(node=NODE, leftovers=(SECRET, "x"), at_ms=1, awake_ms=1)
    clean = scrubbed(gone, SCRUBBER)
    assert isinstance(clean, ConfirmGone)
    assert clean.leftovers == (LEFT, "x")


def test_signs_of_life_are_scrubbed() -> None:
    """The title of a tool call may be a command line with a key in it."""
    sign = scrubbed(NoteSign(node=NODE, sign=f"tool: {SECRET}", at_ms=1, awake_ms=1), SCRUBBER)
    assert isinstance(sign, NoteSign)
    assert sign.sign == f"tool: {LEFT}"


def test_what_nobody_keeps_is_not_looked_at() -> None:
    """A sign, a diagnostic or an output of a MiB costs no more than what is kept of it."""
    long = "API_KEY=x\n" * 100_000
    sign = scrubbed(NoteSign(node=NODE, sign=long, at_ms=1, awake_ms=1), SCRUBBER)
    failed = scrubbed(FailStart(node=NODE, why=long, at_ms=1, awake_ms=1), SCRUBBER)
    assert isinstance(sign, NoteSign)
    assert isinstance(failed, FailStart)
    assert max(len(sign.sign), len(failed.why)) <= 8_192


def test_a_childs_own_words_are_not_touched() -> None:
    """A report is passed on as it is, and so is a command without words."""
    report = SubmitReport(
        node=NODE,
        report=Report(stage=Stage.FINDING, output=SECRET),
        size_bytes=9,
        fingerprint="f",
        caller=Caller(),
        at_ms=1,
        awake_ms=1,
    )
    assert scrubbed(report, SCRUBBER) is report
    turn = EndTurn(node=NODE, at_ms=1, awake_ms=1)
    assert scrubbed(turn, SCRUBBER) is turn


def test_last_words_at_the_end_of_a_turn_are_scrubbed() -> None:
    """An agent may repeat the key that its provider refused."""
    turn = EndTurn(node=NODE, diagnostic=SECRET, at_ms=1, awake_ms=1)
    assert scrubbed(turn, SCRUBBER) == EndTurn(node=NODE, diagnostic=LEFT, at_ms=1, awake_ms=1)
