"""Stores found blank, broken, older, newer, foreign or forbidden: rebuilt loudly, or refused."""

import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from msgspec.structs import replace

from subsessiond.adapters.store.schema import MIGRATIONS
from subsessiond.model.node import Status
from subsessiond.ports import StoreFault
from tests.support import store_process
from tests.support.ledger import State, admitted, child, node_id, opened, root, settled, started

MOTHER = root(1)
CHILD = child(2, MOTHER, key="k")
YOUNGER = child(3, MOTHER, predecessor=CHILD.node_id)


async def made(state: State) -> Path:
    """Make a store with a root and a running child, close it, and give its path."""
    ledger, _ = await state.open()
    await ledger.commit(opened(MOTHER))
    await ledger.commit(admitted(CHILD), started(CHILD.node_id))
    await ledger.store.backup()
    await ledger.store.aclose()
    return state.directory / "registry.sqlite"


def blank(path: Path) -> None:
    """Cut to nothing."""
    path.write_bytes(b"")


def nul(path: Path) -> None:
    """Full of NULs."""
    path.write_bytes(bytes(path.stat().st_size))


def half(path: Path) -> None:
    """Half of it."""
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def first_page(path: Path) -> None:
    """Only its first page is whole."""
    content = path.read_bytes()
    path.write_bytes(content[:4096] + b"\xa5" * (len(content) - 4096))


def garbage(path: Path) -> None:
    """Not a store."""
    path.write_bytes(b"{ half an object" * 300)


def foreign(path: Path) -> None:
    """Another program's store."""
    path.unlink()
    with closing(sqlite3.connect(path)) as db:
        db.execute("CREATE TABLE bookmarks (url TEXT)")


def missing(path: Path) -> None:
    """Gone, with a temporary file beside it."""
    path.rename(path.with_name("registry.fresh"))


HARMS = (blank, nul, half, first_page, garbage, foreign, missing)


@pytest.mark.parametrize("harm", HARMS, ids=lambda harm: harm.__name__)
@pytest.mark.parametrize("has_backup", [True, False], ids=["backup", "journals-alone"])
async def test_a_broken_store_is_rebuilt_and_kept_aside(
    tmp_path: Path, harm: Callable[[Path], None], has_backup: bool
) -> None:
    """S25: the tree comes back from backup and journals; the bad file is kept and named."""
    async with State(tmp_path / "state") as state:
        path = await made(state)
        if not has_backup:
            shutil.rmtree(state.directory / "backups")
        harm(path)
        bad = path.read_bytes() if path.exists() else None
        state.journal_nodes = (
            replace(MOTHER, journal_lines=1),
            replace(CHILD, journal_lines=4, reports=2, messages=16, status=Status.CLAIMED),
            replace(YOUNGER, journal_lines=1),
        )
        ledger, warnings = await state.open()
        assert any("rebuilt" in warning for warning in warnings)
        assert state.asked_for == [("/w",)]
        nodes = ledger.tree.nodes
        assert {MOTHER.node_id, CHILD.node_id, YOUNGER.node_id} == set(nodes)
        assert (nodes[CHILD.node_id].reports, nodes[CHILD.node_id].is_live) == (2, True)
        assert nodes[CHILD.node_id].successor == YOUNGER.node_id
        assert nodes[CHILD.node_id].brief == CHILD.brief
        assert ledger.tree.keys[(MOTHER.node_id, "k")].node_id == CHILD.node_id
        assert ledger.tree.seq > 1_000_000
        if bad is not None:
            assert (state.directory / "registry.aside-1.sqlite").read_bytes() == bad
            assert any("registry.aside-1.sqlite" in warning for warning in warnings)
        await ledger.commit(settled(YOUNGER.node_id))
        again, warnings = await state.open_again(ledger)
        assert warnings == ()
        assert again.tree.seq == ledger.tree.seq


async def test_an_unreadable_store_is_never_replaced_by_an_empty_one(tmp_path: Path) -> None:
    """S25: with neither backup nor journals the bad file is still kept and its loss is told."""
    async with State(tmp_path / "state") as state:
        path = await made(state)
        shutil.rmtree(state.directory / "backups", ignore_errors=True)
        for n in (1, 2):
            nul(path)
            ledger, warnings = await state.open()
            assert len(ledger.tree.nodes) == 0
            assert any("is blank" in warning for warning in warnings)
            assert (state.directory / f"registry.aside-{n}.sqlite").exists()
            await ledger.store.aclose()
            shutil.rmtree(state.directory / "backups", ignore_errors=True)


async def test_a_bad_backup_is_passed_over(tmp_path: Path) -> None:
    """The newest backup that is whole is taken; the others are named."""
    async with State(tmp_path / "state") as state:
        path = await made(state)
        ledger, _ = await state.open()
        await ledger.store.backup()
        await ledger.store.aclose()
        first, second = sorted((state.directory / "backups").iterdir())
        half(second)
        nul(path)
        ledger, warnings = await state.open()
        assert any(str(second) in warning for warning in warnings)
        assert any(f"{first} is what" in warning for warning in warnings)


async def test_a_store_older_than_its_journals_catches_up(tmp_path: Path) -> None:
    """S25: a backup put back by hand is noticed, and what the journals know more is brought in."""
    async with State(tmp_path / "state") as state:
        path = await made(state)
        ledger, _ = await state.open()
        older = path.with_name("older")
        await ledger.store.backup()
        shutil.copy(max((state.directory / "backups").iterdir()), older)
        ended = settled(CHILD.node_id).settlement
        await ledger.commit(settled(CHILD.node_id, line=2))
        await ledger.store.aclose()
        older.rename(path)
        state.journal_nodes = (
            MOTHER,
            replace(CHILD, status=Status.SETTLED, settlement=ended, journal_lines=2),
        )
        ledger, warnings = await state.open()
        node = ledger.tree.nodes[CHILD.node_id]
        assert (node.status, node.settlement, node.journal_lines) == (Status.SETTLED, ended, 2)
        assert node.started_at_ms is not None
        assert any("restored or moved" in warning for warning in warnings)


async def test_children_of_a_lost_parent_can_be_reached(tmp_path: Path) -> None:
    """A node whose parent left no trace hangs below one that says so."""
    async with State(tmp_path / "state") as state:
        nul(await made(state))
        shutil.rmtree(state.directory / "backups")
        lost = child(7, MOTHER)
        state.journal_nodes = (child(8, lost), replace(YOUNGER, parent=node_id(1)))
        ledger, _ = await state.open()
        stand_in = ledger.tree.nodes[lost.node_id]
        assert (stand_in.title, stand_in.status) == ("(record lost)", Status.RELEASED)
        assert ledger.tree.nodes[MOTHER.node_id].status is Status.RUNNING


@pytest.mark.parametrize("bad_id", ["../../x", "0" * 25 + "\n", "0" * 300, "A" * 26])
async def test_a_record_with_a_bad_id_is_set_aside(tmp_path: Path, bad_id: str) -> None:
    """S37: a saved record whose name walks away is set aside with a message; the rest loads."""
    async with State(tmp_path / "state") as state:
        path = await made(state)
        with closing(sqlite3.connect(path)) as db:
            db.execute(
                "INSERT INTO nodes SELECT ?, root, workspace, status, released, body FROM nodes"
                " WHERE id = ?",
                (bad_id, CHILD.node_id),
            )
            db.execute("UPDATE nodes SET body = ? WHERE id = ?", (b"{", CHILD.node_id))
            db.commit()
        ledger, warnings = await state.open()
        assert set(ledger.tree.nodes) == {MOTHER.node_id}
        assert len(warnings) == 2
        assert all("set aside" in warning and "\n" not in warning for warning in warnings)
        _, warnings = await state.open_again(ledger)
        assert warnings == ()


@pytest.mark.parametrize("table", ["mail", "keys"])
async def test_a_spoiled_row_does_not_keep_the_rest_from_loading(
    tmp_path: Path, table: str
) -> None:
    """A message or key that cannot be read is set aside with a message; the rest loads."""
    async with State(tmp_path / "state") as state:
        ledger, _ = await state.open()
        await ledger.commit(opened(MOTHER), admitted(CHILD), started(CHILD.node_id))
        for _ in range(2):
            await ledger.commit(*ledger.report(CHILD.node_id))
        await ledger.store.aclose()
        with closing(sqlite3.connect(state.directory / "registry.sqlite")) as db:
            db.execute(f"UPDATE {table} SET body = ? WHERE rowid = 1", (b"{",))
            db.commit()
        ledger, warnings = await state.open()
        assert len(warnings) == 1
        assert f"in {table} was set aside" in warnings[0]
        assert len(ledger.tree.keys) == (0 if table == "keys" else 1)
        assert len(ledger.tree.mail[MOTHER.node_id]) == (1 if table == "mail" else 2)
        _, warnings = await state.open_again(ledger)
        assert warnings == ()


async def test_a_lost_list_of_workspaces_is_known_from_the_backup(tmp_path: Path) -> None:
    """S25: with store and list both spoiled, the backup still tells where journals are."""
    async with State(tmp_path / "state") as state:
        nul(await made(state))
        listed = state.directory / "workspaces.json"
        listed.write_bytes(bytes(20))
        _, warnings = await state.open()
        assert state.asked_for == [("/w",)]
        assert listed.with_name("workspaces.aside-1.json").read_bytes() == bytes(20)
        assert any("workspaces.aside-1.json" in warning for warning in warnings)


async def test_a_newer_store_is_refused_untouched(tmp_path: Path) -> None:
    """A store of a later version is a refusal that changes no byte."""
    async with State(tmp_path / "state") as state:
        path = await made(state)
        with closing(sqlite3.connect(path)) as db:
            db.execute(f"PRAGMA user_version = {len(MIGRATIONS) + 1}")
        before = path.read_bytes()
        with pytest.raises(StoreFault, match="newer"):
            await state.open()
        assert path.read_bytes() == before


async def test_a_store_open_elsewhere_is_refused(tmp_path: Path) -> None:
    """Even past the lock, two processes never have one store open."""
    async with State(tmp_path / "state") as state:
        await made(state)
        _, _ = await state.open()
        with pytest.raises(StoreFault, match="another process has it open"):
            await state.open()


async def test_a_link_in_place_of_the_store_is_refused(tmp_path: Path) -> None:
    """S37: a link planted where the store belongs is not followed."""
    async with State(tmp_path / "state") as state:
        path = await made(state)
        path.rename(tmp_path / "elsewhere")
        path.symlink_to(tmp_path / "elsewhere")
        with pytest.raises(StoreFault, match="link"):
            await state.open()


async def test_a_forbidden_store_is_refused_untouched() -> None:
    """S25: a store that may not be read is a refusal with a clear message; nothing is rebuilt."""
    # Why not tmp_path: its parents are closed to the user that root becomes here.
    with tempfile.TemporaryDirectory(prefix="subsessiond-test-") as place:
        async with State(Path(place) / "state") as state:
            path = await made(state)
        path.chmod(0)
        give_to_nobody(Path(place))
        before = sorted(state.directory.iterdir())
        order = [sys.executable, store_process.__file__, "peek", str(state.directory)]
        said = subprocess.run(order, capture_output=True, text=True, timeout=20, check=True).stdout
        assert f"opening {path}: Permission denied; nothing was changed" in said
        assert sorted(state.directory.iterdir()) == before


def give_to_nobody(place: Path) -> None:
    """As root, give everything to a user whom permissions bind."""
    if os.geteuid() == 0:
        for path in (place, *place.rglob("*")):
            os.chown(path, store_process.NOBODY, store_process.NOBODY)
