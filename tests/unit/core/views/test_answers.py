"""`core.views.answers`."""

import msgspec
import pytest

from subsessiond.core.bounds import bytes_of_tokens
from subsessiond.core.views.answers import (
    agent_rows,
    bounded_cancel,
    bounded_journal,
    bounded_rejection,
    bounded_words,
    role_rows,
    stopped,
)
from subsessiond.core.views.measure import json_bytes
from subsessiond.model.brief import FieldFault
from subsessiond.model.node import Status
from subsessiond.model.policy import Limits
from subsessiond.model.rejection import Code, Rejection
from subsessiond.model.role import AgentProfile
from subsessiond.model.view import CancelAnswer, JournalEntry, StoppedNode
from tests.support.policies import a_policy
from tests.support.trees import a_node, a_tree, node_id

LIMITS = Limits()
MOST = bytes_of_tokens(LIMITS.answer_tokens)


def test_a_refusal_with_very_many_fields_is_bounded() -> None:
    """Fields are shown from the front on while they fit, and the rest is a count."""
    faults = tuple(FieldFault(path=f"brief.x{n}" * 99, problem="is bad" * 99) for n in range(500))
    rejection = Rejection(code=Code.BRIEF_INVALID, step="brief", fields=faults, detail="d" * 9_999)
    bounded = bounded_rejection(rejection, LIMITS)
    shown = msgspec.json.encode([bounded.fields, bounded.detail, bounded.paths])
    assert len(shown) <= MOST
    more = 500 - len(bounded.fields) + 1
    assert bounded.fields[-1].problem == f"and {more} more"


def test_an_ordinary_refusal_stays_as_it_is() -> None:
    """What fits is not touched."""
    rejection = Rejection(
        code=Code.SCOPE_OVERLAP,
        step="scope",
        detail="a/* meets a/b",
        sibling=node_id(2),
        paths=("a/b",),
        fields=(FieldFault(path="brief.ownedGlobs[0]", problem="meets"),),
    )
    assert bounded_rejection(rejection, LIMITS) == rejection


def test_the_answer_to_a_cancel_is_bounded_for_a_node() -> None:
    """However many nodes a cancel covers, a parent is shown some and the number of the others."""
    nodes = tuple(
        StoppedNode(
            node_id=node_id(n), state=Status.SETTLED, forced=True, leftovers=("w" * 999,) * 99
        )
        for n in range(400)
    )
    bounded = bounded_cancel(CancelAnswer(nodes=nodes, already=False), LIMITS)
    assert json_bytes(bounded) <= MOST
    assert bounded.more == 400 - len(bounded.nodes)
    assert bounded.nodes[0].node_id == node_id(0)


def test_warnings_are_bounded() -> None:
    """Warnings of a spawn are shown while they fit."""
    words = bounded_words(("w" * 5_000,) * 100, LIMITS)
    assert words
    assert json_bytes(words) <= MOST


def test_a_journal_page_always_advances() -> None:
    """A line that alone passes the bound is shown without its body, and says so."""
    big = JournalEntry(n=3, at=1, kind="checkpoint", body={"state": "s" * 99_999}, damaged=False)
    small = JournalEntry(n=4, at=1, kind="report", body={}, damaged=False)
    assert bounded_journal([small, big], 500) == (small,)
    (cut,) = bounded_journal([big, small], 500)
    assert (cut.n, cut.body, cut.cut) == (3, {}, True)


def test_only_nodes_that_are_there_are_told_of() -> None:
    """A node that left the tree meanwhile is left out."""
    tree = a_tree([a_node(2, status=Status.RELEASED, forced=True)])
    (one,) = stopped(tree, (node_id(2), node_id(3)))
    assert (one.state, one.forced) == (Status.RELEASED, True)


def test_roles_are_listed_in_the_order_of_their_names() -> None:
    """The table is sorted, and names the agent behind each tier."""
    rows = role_rows(a_policy())
    assert [row.name for row in rows] == sorted(row.name for row in rows)
    assert {row.name: row.agent for row in rows}["worker"] == "actor"


@pytest.mark.scenario("S38")
def test_an_agent_is_listed_without_its_command_and_environment() -> None:
    """Command lines and environments of agents may hold keys and are shown to nobody."""
    agent = AgentProfile(
        name="actor", runner="scripted", command=("run", "--key=hunter2"), env=(("K", "hunter2"),)
    )
    rows = agent_rows(a_policy(agents=(agent,)))
    assert b"hunter2" not in msgspec.json.encode(rows)
    assert {row.name: row.scripted for row in rows}["actor"]
