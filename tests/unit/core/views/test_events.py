"""`core.views.events`."""

from typing import Any, get_args

from subsessiond.core.views.events import EVENT_NAMES, TO_PARENTS, event_name, touched
from subsessiond.model.brief import Grant
from subsessiond.model.events import (
    AnyEvent,
    CheckpointSaved,
    MessageStaged,
    NodeAdmitted,
    NodeSettled,
    NodeStarted,
    ReportAccepted,
    SignSeen,
    UsageMeasured,
    UsageSeen,
)
from subsessiond.model.message import Message, Source
from subsessiond.model.usage import Below, Usage
from tests.support.trees import AT_MS, a_node, a_settlement, a_tree, node_id

STAMP: dict[str, Any] = {"at_ms": AT_MS, "seq": 9}


def test_every_event_has_a_name_of_its_own() -> None:
    """Each kind of event has one name on the wire, made of a noun and what happened to it."""
    assert set(EVENT_NAMES) == set(get_args(AnyEvent))
    names = list(EVENT_NAMES.values())
    assert len(set(names)) == len(names)
    assert all(name.count(".") == 1 and name == name.lower() for name in names)


def test_a_parent_hears_steps_of_life_alone() -> None:
    """What grows with what a child does (reports, checkpoints, signs) is not told to its parent."""
    assert not TO_PARENTS & {ReportAccepted, CheckpointSaved, SignSeen}
    assert event_name(NodeStarted(node=node_id(2), **STAMP)) == "node.started"


def test_an_admission_touches_its_predecessor() -> None:
    """A successor's admission changes the row of whom it continues."""
    tree = a_tree(
        [a_node(1, None), a_node(2, successor=node_id(3)), a_node(3, predecessor=node_id(2))]
    )
    event = NodeAdmitted(node=node_id(3), record=tree.nodes[node_id(3)], **STAMP)
    assert touched(tree, event) == (node_id(3), node_id(2))


def test_a_grant_touches_every_ancestor() -> None:
    """Granted tokens raise the caps above, and their rows change."""
    heir = a_node(4, 2, predecessor=node_id(3), grant=Grant(tokens=5))
    tree = a_tree([a_node(1, None), a_node(2), a_node(3, 2, successor=node_id(4)), heir])
    event = NodeAdmitted(node=node_id(4), record=heir, **STAMP)
    assert touched(tree, event) == tuple(node_id(n) for n in (4, 3, 2, 1))


def test_measured_tokens_touch_every_ancestor() -> None:
    """Sums change at each of them; a start does where a row says of how many nodes its sums are."""
    used, usage = a_node(4, 2, measured=Usage(input=5)), Usage(input=5)
    tree = a_tree([a_node(1, None), a_node(2), used])
    everybody = tuple(node_id(n) for n in (4, 2, 1))
    for kind in (UsageSeen, UsageMeasured):
        assert touched(tree, kind(node=node_id(4), usage=usage, **STAMP)) == everybody
    settled = NodeSettled(node=node_id(4), settlement=a_settlement(measured=usage), **STAMP)
    assert touched(tree, settled) == everybody
    begun = NodeStarted(node=node_id(4), **STAMP)
    assert touched(tree, begun) == (node_id(4),)
    below = Below(measured=usage, reporting=1, started=1)
    summing = a_tree([a_node(1, None, below=below), a_node(2), used])
    assert touched(summing, begun) == (node_id(4), node_id(1))


def test_a_message_touches_whom_it_counts_for() -> None:
    """A staged message changes the reader's mailbox and the sender's counts."""
    tree = a_tree([a_node(1, None), a_node(2)])
    message = Message(
        message_id=f"{node_id(2)}.1",  # type: ignore[arg-type]
        recipient=node_id(1),
        sender=node_id(2),
        source=Source.REPORT,
        text="x",
    )
    event = MessageStaged(node=node_id(1), message=message, caused_by=node_id(2), **STAMP)
    assert touched(tree, event) == (node_id(1), node_id(2))


def test_a_failed_start_touches_whom_it_was_to_continue() -> None:
    """A successor that settles may give its predecessor free again."""
    tree = a_tree([a_node(1, None), a_node(2), a_node(3, predecessor=node_id(2))])
    event = NodeSettled(node=node_id(3), settlement=a_settlement(), **STAMP)
    assert touched(tree, event) == (node_id(3), node_id(2))


def test_a_node_that_left_the_tree_is_not_touched() -> None:
    """Events about nodes that are no longer in memory change no row."""
    assert touched(a_tree([]), NodeStarted(node=node_id(2), **STAMP)) == ()
