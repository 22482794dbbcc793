"""`core.views.blocked`."""

from typing import Any

import pytest
from msgspec.structs import replace

from subsessiond.core.views.blocked import asks, blocked_row, category_of, is_queued, queued_row
from subsessiond.core.views.row import row_of
from subsessiond.model.node import Node, Status
from subsessiond.model.process import Identity
from subsessiond.model.report import Outcome
from tests.support.moves import blocked as blocked_final
from tests.support.moves import final, spawn
from tests.support.playbook import play
from tests.support.trees import AT_MS, a_node, a_settlement
from tests.support.world import at_work, ended, started


def blocked(*blockers: str, **fields: Any) -> Node:
    """Make a node with a blocked final."""
    said = a_settlement(Outcome.BLOCKED, blockers=blockers)
    return a_node(2, status=Status.RELEASED, settlement=said, settled_at_ms=AT_MS, **fields)


@pytest.mark.parametrize(
    ("blockers", "category"),
    [
        (("approval-required: fs write docs/x.md",), "approval"),
        (("Approval-Required: net",), "approval"),
        (("question: which one?",), "question"),
        (("missing: the API key",), "missing"),
        (("budget: 10,000 more tokens",), "budget"),
        (("scope: src/other.py",), "scope"),
        (("something in free words", "budget: more"), "budget"),
        (("something in free words",), "question"),
        (("",), "question"),
    ],
)
def test_the_first_known_word_of_a_blocker_is_the_category(
    blockers: tuple[str, ...], category: str
) -> None:
    """Blockers begin with a word that says what is asked for; free words are a question."""
    assert category_of(blocked(*blockers)) == category


def test_leftovers_stand_in_the_queue_until_they_are_released() -> None:
    """A node whose processes cannot be proven gone waits for a person, whatever its outcome."""
    node = a_node(2, status=Status.SETTLED, settlement=a_settlement(), leftovers=("process 7",))
    assert asks(node)
    row = blocked_row(node)
    assert row.category == "leftovers"
    assert row.leftovers == ("process 7",)


def test_who_waits_to_be_attached_stands_in_the_queue() -> None:
    """From its admission until somebody's process has joined; there is no letter to hand over."""
    node = a_node(2, status=Status.CLAIMED, runner="external")
    assert asks(node)
    row = blocked_row(node)
    assert (row.category, row.since_ms, row.letter) == ("attach", node.claimed_at_ms, "")
    assert row_of(node).awaits_attach
    identity = Identity(pid=7, start_ticks=1, boot_id="b", container="attached", marker="")
    joined = replace(node, identity=identity)
    assert not asks(joined)
    assert not row_of(joined).awaits_attach
    assert not asks(replace(node, runner="acp"))


def test_a_dismissed_node_with_leftovers_keeps_its_row() -> None:
    """Dismissing a blocked final does not hide that its files are still claimed."""
    node = blocked("question: x", dismissed=True, leftovers=("process 7",))
    assert asks(node)
    assert category_of(node) == "leftovers"


def test_a_row_says_since_when_and_carries_the_letter() -> None:
    """The row has everything a person needs to act: age, words and the letter."""
    row = blocked_row(blocked("missing: key"))
    assert row.since_ms == AT_MS
    assert row.blockers == ("missing: key",)
    assert "predecessor blockers: missing: key" in row.letter


def test_unread_mail_of_a_settled_parent_is_queued() -> None:
    """Its row says how much; beside a blocker it says so too, and what is asked for comes first."""
    now = at_work(play(), "lead", role="lead") >> spawn("w", under="lead") >> started("w")
    now = now >> final("w")
    assert not is_queued(now.tree, now.node("lead"))
    for end, category in ((ended("lead"), "mail"), (blocked_final("lead"), "question")):
        then = now >> end
        assert is_queued(then.tree, then.node("lead"))
        row = queued_row(then.tree, then.node("lead"))
        assert (row.category, row.unread) == (category, 1)


def test_an_ordinary_end_is_not_queued() -> None:
    """A completed node asks nobody for anything."""
    assert not asks(a_node(2, status=Status.RELEASED, settlement=a_settlement()))
