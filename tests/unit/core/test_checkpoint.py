from subsessiond.model.decision import Saved
from subsessiond.model.effects import AppendJournal
from subsessiond.model.events import CheckpointSaved
from subsessiond.model.rejection import Code, Rejection
from tests.support.moves import OPERATOR, checkpoint, final
from tests.support.playbook import nothing, play, said
from tests.support.world import at_work


def test_a_checkpoint_is_journalled_and_pointed_at() -> None:
    """The answer is the pointer to its line; the tree keeps the newest."""
    now = at_work(play(), "w") >> checkpoint("w", "first") >> checkpoint("w", "second")
    now = now << said(CheckpointSaved, "w") << said(AppendJournal, "w", kind="checkpoint", line=3)
    pointer = f"workspaceFile:.subsession/journals/{now.id('w')}.journal.jsonl#3"
    now = now << said(Saved, pointer=pointer, line=3)
    mark = now.node("w").checkpoint
    assert mark is not None
    assert (mark.line, mark.phase, mark.at_ms) == (3, "second", now.at_ms - 1)


def test_the_tree_keeps_little_of_it() -> None:
    """Two lines with a bound, however long the record is."""
    now = at_work(play(), "w") >> checkpoint("w", "ö" * 9_000, "ö" * 9_000)
    mark = now.node("w").checkpoint
    assert mark is not None
    assert len(mark.phase.encode()) <= 200
    assert len(mark.next_step.encode()) <= 400


def test_only_the_node_itself_writes_its_checkpoints() -> None:
    """And roots, whose agents are outside, have none."""
    now = at_work(play(), "w", "v")
    for by in ("root", "v", OPERATOR):
        _ = now >> checkpoint("w", by=by) << Code.NOT_ALLOWED << nothing
    _ = now >> checkpoint("root") << Code.NOT_ALLOWED
    _ = now >> checkpoint("nobody") << Code.NOT_ALLOWED


def test_size_is_judged_before_shape_and_both_before_life() -> None:
    """The order holds also for a record that is wrong in every way."""
    limit = 256 * 1_024
    now = at_work(play(), "w") >> final("w")
    large = now >> checkpoint("w", size=limit + 1, faults=("state",)) << Code.CHECKPOINT_TOO_LARGE
    assert isinstance(large.reply, Rejection)
    assert (large.reply.limit, large.reply.actual) == (limit, limit + 1)
    bad = now >> checkpoint("w", size=limit, faults=("state",)) << Code.CHECKPOINT_INVALID
    assert isinstance(bad.reply, Rejection)
    assert [fault.path for fault in bad.reply.fields] == ["state"]
    _ = now >> checkpoint("w", size=limit) << Code.NODE_NOT_LIVE << nothing
