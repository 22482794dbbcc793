"""`adapters.store.accounts`."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from subsessiond.adapters.store import schema
from subsessiond.adapters.store.accounts import (
    LIVES_MOST,
    begin_counting,
    keep_accounts,
    read_accounts,
)
from subsessiond.adapters.store.files import Places
from subsessiond.adapters.store.opened import OpenStore
from subsessiond.model.ids import NodeId
from subsessiond.model.ledger import Account
from tests.support.ledger import node_id

ONE, TWO = Account(node_id=node_id(1), mail=3), Account(node_id=node_id(2), printed=9)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[OpenStore]:
    """Give a new store of the newest version."""
    opened = OpenStore.open(Places(tmp_path), lambda: None)
    schema.migrate(opened.db)
    opened._finish(durable=True)  # noqa: SLF001  # it knows the file as it is now
    with closing(opened):
        yield opened


def accounts(db: sqlite3.Connection, *ids: NodeId) -> tuple[Account, ...]:
    """Read counts."""
    return read_accounts(db, ids)


def test_counts_come_in_the_order_in_which_they_are_asked_for(store: OpenStore) -> None:
    """Of those nodes that have any."""
    keep_accounts(store, (ONE, TWO), last=False)
    assert accounts(store.db, node_id(2), node_id(7), node_id(1)) == (TWO, ONE)
    assert accounts(store.db) == ()


def test_counts_that_cannot_be_read_are_none(store: OpenStore) -> None:
    """They are no reason not to start."""
    keep_accounts(store, (ONE, TWO), last=False)
    store.db.execute("UPDATE accounts SET body = '{' WHERE node = ?", (ONE.node_id,))
    assert accounts(store.db, node_id(1), node_id(2)) == (TWO,)


def test_lives_that_were_killed_are_remembered_up_to_a_bound(store: OpenStore) -> None:
    """The newest of them."""
    for at_ms in range(LIVES_MOST + 5):
        lives = begin_counting(store, at_ms)
    assert len(lives) == LIVES_MOST
    assert (lives[-1].began_ms, lives[-1].found_ms) == (LIVES_MOST + 3, LIVES_MOST + 4)


def test_the_log_is_copied_in_time(store: OpenStore) -> None:
    """Without it the log would grow for as long as nothing is committed."""
    tries = 0
    while not keep_accounts(store, (ONE, TWO), last=False):
        tries += 1
        assert tries < 10_000
    assert tries > 10
