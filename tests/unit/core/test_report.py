import pytest

from subsessiond.core.case import WAKE_FRAME_TOKENS
from subsessiond.core.report import FINALS_REFUSED, LATE_KEPT, PROMOTED_BYTES
from subsessiond.model.decision import Accepted
from subsessiond.model.effects import AppendJournal, StopChild, WakeReader
from subsessiond.model.events import (
    LateReportKept,
    MessageStaged,
    NodeSettled,
    RefusalNoted,
    ReportAccepted,
)
from subsessiond.model.message import Message, Source
from subsessiond.model.node import Author, StopReason
from subsessiond.model.rejection import Code, Rejection
from subsessiond.model.report import Outcome, Stage
from subsessiond.model.role import Role
from tests.support.moves import (
    OPERATOR,
    blocked,
    cancel,
    checkpoint,
    final,
    finding,
    malformed,
    open_root,
    progress,
    report,
    spawn,
)
from tests.support.playbook import Play, later, nothing, play, said
from tests.support.policies import a_policy
from tests.support.world import at_work, ended, gone, recover, started, sweep

LIMIT = 1_800
"""Bytes of the 600 tokens that a worker's report may have."""


def refusal(now: Play) -> Rejection:
    """Give the refusal that a play has come to."""
    assert isinstance(now.reply, Rejection)
    return now.reply


def receipt(now: Play) -> Accepted:
    """Give the acceptance that a play has come to."""
    assert isinstance(now.reply, Accepted)
    return now.reply


def test_a_final_settles_and_is_the_one_message() -> None:
    """It is journalled, staged for the parent, and the agent's turn may run on for ten seconds."""
    now = (
        at_work(play(), "w")
        >> final("w", "All done.", files=("a/b",))
        << said(ReportAccepted, "w")
        << said(NodeSettled, "w", settlement__reason="final-report")
        << said(Message, "root", source=Source.REPORT, stage=Stage.FINAL, sender="w")
        << said(AppendJournal, "w", kind="report", line=2)
        << said(AppendJournal, "w", kind="settled", line=3)
        << said(StopChild, "w", after_ms=10_000)
        << said(WakeReader, "root")
    )
    assert now.mail("root")[0].text == (
        f"Background subagent {now.id('w')} reported:\nAll done.\n"
        '{"outcome":"completed","files":["a/b"]}'
    )
    name = now.mail("root")[0].message_id
    assert receipt(now).text == (f"report accepted by the agent that started you as message {name}")
    settlement = now.node("w").settlement
    assert settlement is not None
    assert (settlement.author, settlement.message_id) == (Author.CHILD, name)


@pytest.mark.parametrize(
    ("outcome", "stop"),
    [
        (Outcome.COMPLETED, StopReason.COMPLETED),
        (Outcome.BLOCKED, StopReason.COMPLETED),
        (Outcome.FAILED, StopReason.ERROR),
    ],
)
def test_an_outcome_has_its_stop_reason(outcome: Outcome, stop: StopReason) -> None:
    """Blocked is a complete answer, failed is an error."""
    settlement = (at_work(play(), "w") >> final("w", outcome=outcome)).node("w").settlement
    assert settlement is not None
    assert (settlement.outcome, settlement.stop_reason) == (outcome, stop)


def test_only_the_node_itself_reports() -> None:
    """Neither parent, sibling nor operator speaks for a child, and a root speaks to nobody."""
    now = at_work(play(), "w", "v")
    for by in ("root", "v", OPERATOR):
        _ = now >> final("w", by=by) << Code.NOT_ALLOWED << nothing
    _ = now >> final("root") << Code.NOT_ALLOWED
    _ = now >> final("nobody") << Code.NOT_ALLOWED


def test_size_is_judged_before_shape() -> None:
    """A malformed report over the limit is too large, with limit, actual and what to do instead."""
    now = at_work(play(), "w")
    large = refusal(now >> malformed("w", LIMIT + 1) << Code.REPORT_TOO_LARGE << nothing)
    assert (large.limit, large.actual) == (LIMIT, LIMIT + 1)
    assert large.detail == "write a file you own and send its path"
    bad = refusal(now >> malformed("w", LIMIT) << Code.REPORT_INVALID << nothing)
    assert [fault.path for fault in bad.fields] == ["output"]


def test_size_is_what_the_parent_would_be_shown() -> None:
    """The output and the line of the other fields count together, in bytes."""
    line = len('{"outcome":"completed"}')
    now = at_work(play(), "w")
    _ = now >> final("w", "x" * (LIMIT - line)) << NodeSettled
    _ = now >> final("w", "x" * (LIMIT - line + 1)) << Code.REPORT_TOO_LARGE


@pytest.mark.parametrize(("tokens", "most"), [(600, 600), (100, 300)])
def test_progress_has_a_limit_of_its_own(tokens: int, most: int) -> None:
    """200 estimated tokens, or less where the contract says less."""
    now = at_work(play(), "w", report_tokens=tokens)
    _ = now >> progress("w", "x" * most) << MessageStaged
    _ = now >> progress("w", "x" * (most + 1)) << Code.REPORT_TOO_LARGE


def test_a_report_without_stage_may_be_as_large_as_its_promotion_leaves_room() -> None:
    """Promoted it is shown with an outcome, and is then exactly as large as the contract allows."""
    now = at_work(play(), "w")
    _ = now >> report("w", "x" * (LIMIT - PROMOTED_BYTES)) << MessageStaged
    refused = now >> report("w", "x" * (LIMIT - PROMOTED_BYTES + 1)) << Code.REPORT_TOO_LARGE
    assert refusal(refused).limit == LIMIT - PROMOTED_BYTES


def test_a_completed_final_has_the_sections_of_its_contract() -> None:
    """The refusal names those missing; blocked finals and findings may go without."""
    now = at_work(play(), "w", sections=("risks", "tests"))
    lacking = (
        now
        >> final("w", sections={"tests": "none"})
        << Code.REPORT_CONTRACT
        << said(RefusalNoted, final=True)
    )
    assert refusal(lacking).paths == ("risks",)
    _ = now >> final("w", sections={"tests": "none", "risks": "few"}) << NodeSettled
    _ = now >> blocked("w") << NodeSettled
    _ = now >> finding("w") << MessageStaged


def test_a_completed_final_satisfies_its_schema() -> None:
    """What the edge found is answered; anything but a completed final may go without."""
    now = at_work(play(), "w")
    unfit = (
        now
        >> final("w", schema_fault="$.n is no number")
        << Code.OUTPUT_SCHEMA
        << said(RefusalNoted, final=True)
    )
    assert refusal(unfit).detail == "$.n is no number"
    _ = now >> blocked("w", schema_fault="$ is missing") << NodeSettled
    _ = now >> report("w", schema_fault="$ is missing") << MessageStaged


@pytest.mark.scenario("S01")
def test_a_final_sent_again_gets_its_first_receipt() -> None:
    """S01: the same text, or the same key with any text, is answered again and changes nothing."""
    now = at_work(play(), "w") >> final("w", "Done.", key="k")
    first = receipt(now).message_id
    for again in (final("w", "Done."), final("w", "Other.", key="k"), final("w", "Done.", key="x")):
        repeated = now >> again << nothing << said(Accepted, already=True)
        assert receipt(repeated).message_id == first


@pytest.mark.scenario("S01")
def test_another_final_is_late_and_kept_in_the_journal() -> None:
    """S01: it is refused, journalled, and does not replace what was said first."""
    now = at_work(play(), "w") >> final("w", "First.")
    now = now >> final("w", "Second.") << Code.NODE_SETTLED
    now = now << said(LateReportKept, "w") << said(AppendJournal, "w", kind="late", line=4)
    settlement = now.node("w").settlement
    assert settlement is not None
    assert settlement.output == "First."
    assert len(now.mail("root")) == 1


@pytest.mark.scenario("S01")
def test_nothing_announces_a_final_a_second_time() -> None:
    """S01: exit, sweeps, a restart and repeats leave one final, one message, one frozen end."""
    now = at_work(play(), "w") >> final("w")
    settled = now.node("w").settled_at_ms
    after = now >> ended("w") << nothing >> later(900_000) >> sweep() >> sweep() >> sweep()
    after = after >> gone("w") >> recover("w") << nothing >> final("w") << nothing
    assert after.mail("root") == now.mail("root")
    assert after.node("w").settled_at_ms == settled


def test_late_reports_are_kept_within_a_bound() -> None:
    """The eleventh is refused like the others and written nowhere."""
    now = at_work(play(), "w") >> final("w")
    for number in range(LATE_KEPT):
        now = now >> finding("w", f"late {number}") << Code.NODE_SETTLED << LateReportKept
    _ = now >> finding("w", "one more") << Code.NODE_SETTLED << nothing


def test_an_orphan_is_told_that_nobody_hears_it() -> None:
    """Its report is undeliverable, in exactly these words."""
    now = at_work(play(), "lead", role="lead") >> spawn("w", under="lead") >> started("w")
    now = now >> cancel("lead") >> final("w") << Code.REPORT_UNDELIVERABLE
    assert refusal(now).message == "direct parent is not live; report was not delivered"


def test_a_repeat_of_an_earlier_report_is_recognised_by_its_key() -> None:
    """Also after the end; without a key two findings of one text are two findings."""
    now = at_work(play(), "w") >> finding("w", key="k")
    first = receipt(now).message_id
    assert receipt(now >> finding("w", "Look there.", key="k") << nothing).message_id == first
    ended_now = now >> final("w") >> finding("w", key="k") << nothing
    assert receipt(ended_now).message_id == first
    assert len((at_work(play(), "w") >> finding("w") >> finding("w")).mail("root")) == 2


def test_a_used_key_does_not_swallow_the_final() -> None:
    """A child that gives every report the same key still settles."""
    now = at_work(play(), "w") >> progress("w", key="k") >> final("w", key="k") << NodeSettled
    assert len(now.mail("root")) == 1


def test_a_receipt_of_a_final_outlives_fifty_reports() -> None:
    """The last fifty receipts are kept; the final is the last of all."""
    now = at_work(play(), "w") >> progress("w", key="first")
    for number in range(50):
        now = now >> finding("w", key=f"{number}")
    assert len(now.node("w").receipts) == 50
    now = now >> progress("w", key="first") << ReportAccepted
    now = now >> final("w") >> final("w") << nothing << said(Accepted, already=True)


def test_a_completed_final_waits_for_the_children() -> None:
    """The refusal has their number and ids; with endChildren they are ended instead."""
    now = at_work(play(), "lead", role="lead") >> spawn("w", under="lead") >> started("w")
    refused = now >> final("lead") << Code.CHILDREN_LIVE << nothing
    assert (refusal(refused).actual, refusal(refused).paths) == (1, (now.id("w"),))
    done = now >> final("lead", end_children=True)
    done = done << said(NodeSettled, "w", settlement__outcome=Outcome.ORPHANED)
    assert not done.node("w").is_live
    assert not (now >> final("w") >> final("lead")).node("lead").is_live


@pytest.mark.parametrize("outcome", [Outcome.BLOCKED, Outcome.FAILED])
def test_who_is_blocked_or_failed_does_not_wait_for_children(outcome: Outcome) -> None:
    """Such a final settles at once, and the children are orphans."""
    now = at_work(play(), "lead", role="lead") >> spawn("w", under="lead") >> started("w")
    now = now >> final("lead", outcome=outcome, blockers=("missing: a key",))
    assert not now.node("w").is_live


def test_a_report_before_the_start_was_seen_counts() -> None:
    """The child is up if it speaks, whatever has been noticed."""
    now = at_work(play()) >> spawn("w") >> checkpoint("w") >> finding("w") >> final("w")
    assert now.node("w").reports == 2


def test_no_contract_is_larger_than_what_fits_a_wake() -> None:
    """A role or a brief that allows more is cut at admission: one message always fits a wake."""
    endless = Role(name="endless", tier="strong", max_report_tokens=1_000_000, token_cap=3_000_000)
    now = play(a_policy(endless, wake_tokens=1_000)) >> open_root()
    now = now >> spawn("a", role="endless") >> spawn("b", report_tokens=8_000, token_cap=90_000)
    for label in ("a", "b"):
        assert now.tree.nodes[now.id(label)].max_report_tokens == 1_000 - WAKE_FRAME_TOKENS


def test_a_final_may_be_mended_many_times_but_not_for_ever() -> None:
    """The last refusal ends the child, and its parent is told why in the runtime's words."""
    now = at_work(play(), "w", sections=("risks",))
    for _ in range(FINALS_REFUSED - 1):
        now = now >> final("w") << Code.REPORT_CONTRACT
    assert now.node("w").is_live
    _ = (
        now
        >> final("w", sections={"risks": "few"})
        << said(NodeSettled, settlement__reason="final-report")
    )
    now = now >> final("w") << Code.REPORT_CONTRACT
    now = now << said(NodeSettled, settlement__reason="final-refused")
    (message,) = now.mail("root")
    assert message.source is Source.SETTLED
    assert message.text.endswith("at last: REPORT_CONTRACT. risks.")
    late = now >> final("w") << Code.REPORT_CONTRACT << nothing
    assert late.node("w").final_refusals == FINALS_REFUSED


def test_only_finals_that_were_refused_are_counted() -> None:
    """Malformed ones and ones that are too large are; words on the way, and good ones, are not."""
    now = at_work(play(), "w") >> malformed("w", 10, is_final=True) << Code.REPORT_INVALID
    now = now >> malformed("w", 10) << Code.REPORT_INVALID
    now = now >> final("w", "x" * 100_000) << Code.REPORT_TOO_LARGE
    now = now >> finding("w", "x" * 100_000) << Code.REPORT_TOO_LARGE >> finding("w")
    assert now.node("w").final_refusals == 2
