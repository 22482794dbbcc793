from subsessiond.model.decision import Accepted
from subsessiond.model.effects import WakeReader
from subsessiond.model.events import (
    MessagesMoved,
    MessageStaged,
    ReportAccepted,
)
from subsessiond.model.message import Message, MessageState
from subsessiond.model.report import Stage
from subsessiond.model.role import Delivery, Role
from tests.support.moves import (
    final,
    finding,
    progress,
    report,
    spawn,
)
from tests.support.playbook import Play, later, play, said
from tests.support.policies import a_policy
from tests.support.world import at_work, delivered, started


def receipt(now: Play) -> Accepted:
    """Give the acceptance that a play has come to."""
    assert isinstance(now.reply, Accepted)
    return now.reply


def test_findings_wake_and_progress_is_quiet() -> None:
    """A role may make findings quiet too; a final always wakes."""
    quiet = Role(name="quiet", tier="strong", report_delivery=Delivery.QUIET)
    now = at_work(play(a_policy(quiet)), "w", role="worker") >> spawn("q", role="quiet")
    now = now >> started("q")
    assert (now >> finding("w")).effects[-1] == WakeReader(node=now.id("root"))
    for quietly in (progress("w"), report("w"), finding("q")):
        said_so = now >> quietly << said(Message, "root", delivery=Delivery.QUIET)
        assert not any(isinstance(effect, WakeReader) for effect in said_so.effects)
    _ = now >> final("q") << said(WakeReader, "root")


def test_findings_beyond_ten_are_kept_and_counted() -> None:
    """The eleventh is durable, and its answer says that only its number is seen."""
    now = at_work(play(), "w")
    for number in range(10):
        now = now >> finding("w", f"{number}") << MessageStaged
    now = now >> finding("w", "eleventh") << ReportAccepted
    assert "only their count" in receipt(now).text
    assert len(now.mail("root")) == 10
    assert now.node("w").findings == 11


def test_progress_is_coalesced_after_a_burst() -> None:
    """The sixth within a moment takes the place of the five that wait."""
    now = at_work(play(), "w")
    for number in range(5):
        now = now >> progress("w", f"{number}")
    assert len(now.mail("root")) == 5
    now = now >> progress("w", "newest") << said(MessagesMoved, "root")
    assert now.events[1].state is MessageState.SUPERSEDED  # type: ignore[union-attr]
    assert [m.text.splitlines()[1] for m in now.mail("root")] == ["newest"]
    assert now.node("w").progress == 1


def test_progress_on_pace_is_not_coalesced() -> None:
    """After the burst one more waits every five seconds, however often one tried in between."""
    now = at_work(play(), "w")
    for number in range(5):
        now = now >> progress("w", f"{number}")
    now = now >> delivered("root")
    for number in range(3):
        now = now >> later(5_000) >> progress("w", f"late {number}")
    assert len(now.mail("root")) == 8


def test_many_small_steps_in_time_add_up() -> None:
    """Progress every two milliseconds does not keep the bucket from draining."""
    now = at_work(play(progress_interval_ms=50, progress_burst=1, progress_delivered=1_000), "w")
    for _ in range(60):
        now = now >> later(1) >> progress("w") >> delivered("root")
    staged = now >> progress("w") >> later(50) >> progress("w")
    assert staged.node("w").progress_level <= 50


def test_progress_beyond_twenty_is_kept_and_counted() -> None:
    """What was superseded was never seen and does not count; what was handed over does."""
    now = at_work(play(), "w")
    for _ in range(20):
        now = now >> later(5_000) >> progress("w") << MessageStaged >> delivered("root")
    now = now >> later(5_000) >> progress("w") << ReportAccepted
    assert "only their count" in receipt(now).text
    assert now.node("w").progress == 20


def test_a_settling_message_supersedes_progress_that_nobody_was_handed() -> None:
    """What was handed over stays until it is acknowledged."""
    now = at_work(play(), "w") >> progress("w", "seen") >> delivered("root")
    now = now >> later(5_000) >> progress("w", "unseen") >> final("w")
    assert [m.stage for m in now.mail("root")] == [Stage.PROGRESS, Stage.FINAL]
