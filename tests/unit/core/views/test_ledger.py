"""`core.views.ledger`."""

from typing import Any

from subsessiond.core.views.ledger import ledger_row, ledger_sum
from subsessiond.model.ids import NodeId
from subsessiond.model.ledger import Account, Life
from subsessiond.model.node import Node
from subsessiond.model.view import LedgerRow
from tests.support.trees import AT_MS, a_node, node_id

ROOT = a_node(1, None)
COUNTS: dict[str, Any] = {"said": 100, "printed": 900, "mail": 7, "answers": 3, "again": 5}


def account(number: int, **counts: Any) -> dict[NodeId, Account]:
    """Make the counts of one node."""
    return {node_id(number): Account(node_id=node_id(number), **counts)}


def row(number: int, accounts: dict[NodeId, Account], **fields: Any) -> LedgerRow:
    """Make the row of an agent's node."""
    return ledger_row(child(number, **fields), ROOT, accounts, ())


def child(number: int, **fields: Any) -> Node:
    """Make a child by an agent."""
    return a_node(number, runner="acp", **fields)


def test_a_row_has_bytes_and_says_what_is_estimated() -> None:
    """Tokens are a third of the bytes, rounded up; repeats are no part of what was shown."""
    found = row(2, account(2, **COUNTS, general=4, definitions=60))
    assert (found.transcript_bytes, found.transcript_estimated_tokens) == (1_000, 334)
    assert (found.shown_bytes, found.shown_estimated_tokens) == (10, 4)
    assert (found.mail_bytes, found.answer_bytes, found.again_bytes) == (7, 3, 5)
    assert (found.general_bytes, found.definition_bytes) == (4, 60)
    assert found.ratio == 0.01
    assert (found.counted_since, found.may_lack) == (None, False)


def test_what_was_not_counted_is_null() -> None:
    """Without an account, with one that began late, and where words do not pass the daemon."""
    for accounts in ({}, account(2, **COUNTS, since_ms=9)):
        found = row(2, accounts)
        figures = (found.transcript_bytes, found.shown_bytes, found.mail_bytes, found.again_bytes)
        assert figures == (None,) * 4
        assert (found.shown_estimated_tokens, found.ratio, found.general_bytes) == (None,) * 3
    assert found.counted_since == 9
    unheard = ledger_row(a_node(2, runner="external"), ROOT, account(2, **COUNTS), ())
    assert (unheard.transcript_bytes, unheard.shown_bytes, unheard.ratio) == (None, 10, None)


def test_a_killed_daemon_is_said() -> None:
    """Of every child that it may have counted."""
    life = Life(began_ms=AT_MS, found_ms=AT_MS + 5)
    assert ledger_row(child(2), ROOT, account(2), (life,)).may_lack
    late = child(2, claimed_at_ms=AT_MS + 6)
    assert not ledger_row(late, ROOT, account(2), (life,)).may_lack


def test_sums_are_of_those_that_were_counted() -> None:
    """They say of how many, hold what was shown of no one child, and their share is of the same."""
    accounts = {
        **account(1, general=20, definitions=8_000),
        **account(2, **COUNTS),
        **account(3, printed=3_000, mail=10, general=1),
        **account(4, mail=500),
    }
    rows = [row(n, accounts) for n in (2, 3)]
    rows.append(ledger_row(a_node(4, runner="scripted"), ROOT, accounts, ()))
    found = ledger_sum(ROOT, rows, accounts)
    assert (found.children, found.counted) == (3, 2)
    assert found.transcript_bytes == 4_000
    assert found.general_bytes == 21
    assert found.shown_bytes == 10 + 10 + 21
    assert (found.again_bytes, found.definition_bytes) == (5, 8_000)
    assert found.ratio == 41 / 4_000


def test_sums_of_nothing_that_was_counted_are_null() -> None:
    """A root of an older version, and one without children."""
    old = ledger_sum(ROOT, [row(2, {})], {})
    assert (old.transcript_bytes, old.shown_bytes, old.general_bytes) == (None, None, None)
    assert (old.again_bytes, old.definition_bytes, old.ratio) == (None, None, None)
    fresh = ledger_sum(ROOT, [], account(1))
    assert (fresh.transcript_bytes, fresh.shown_bytes, fresh.ratio) == (None, 0, None)
