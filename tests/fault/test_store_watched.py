"""A store replaced, removed or written by others while it is open; backups beside commits."""

import asyncio
import resource
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from subsessiond.adapters.store import workspaces
from subsessiond.adapters.store.files import Places
from subsessiond.model.events import AnyEvent
from subsessiond.model.report import Stage
from subsessiond.ports import StoreFault
from tests.support.ledger import Ledger, State, admitted, child, line, opened, root, started

MOTHER = root(1)
CHILD = child(2, MOTHER)


async def grown(state: State) -> Ledger:
    """Open a store with a root and a running child."""
    ledger, _ = await state.open()
    await ledger.commit(opened(MOTHER))
    await ledger.commit(admitted(CHILD), started(CHILD.node_id))
    return ledger


def removed(path: Path) -> None:
    """The store is removed."""
    path.unlink()


def replaced(path: Path) -> None:
    """A copy is put in its place."""
    copy = path.with_name("copy")
    shutil.copy(path, copy)
    copy.replace(path)


def overwritten(path: Path) -> None:
    """An older content is copied over the same file."""
    with path.open("r+b") as file:
        file.write(path.read_bytes())


def log_removed(path: Path) -> None:
    """The log beside it is removed."""
    path.with_name(path.name + "-wal").unlink()


def lock_removed(path: Path) -> None:
    """The lock is removed."""
    path.with_name("lock").unlink()


@pytest.mark.parametrize("harm", [removed, replaced, overwritten, log_removed, lock_removed])
async def test_a_store_changed_under_its_daemon_is_noticed(
    tmp_path: Path, harm: Callable[[Path], None]
) -> None:
    """The next commit is a fatal fault, so is every one after it, and nothing of them is true."""
    async with State(tmp_path / "state") as state:
        ledger = await grown(state)
        harm(state.directory / "registry.sqlite")
        for _ in range(2):
            with pytest.raises(StoreFault, match="replaced") as caught:
                await ledger.commit(*ledger.report(CHILD.node_id))
            assert caught.value.fatal


async def test_a_condemned_store_is_compared_at_the_next_start(tmp_path: Path) -> None:
    """After somebody wrote to the store, the next start looks closely and asks the journals."""
    async with State(tmp_path / "state") as state:
        ledger = await grown(state)
        overwritten(state.directory / "registry.sqlite")
        with pytest.raises(StoreFault):
            await ledger.commit(*ledger.report(CHILD.node_id))
        again, warnings = await state.open_again(ledger)
        assert state.asked_for == [("/w",)]
        assert any("copied into a fresh file" in warning for warning in warnings)
        assert again.tree.nodes == ledger.tree.nodes
        await again.commit(*again.report(CHILD.node_id))


async def test_the_log_is_copied_into_the_store_before_it_grows(tmp_path: Path) -> None:
    """The write-ahead log does not grow with what is committed, and nothing is lost by copying."""
    async with State(tmp_path / "state") as state:
        ledger = await grown(state)
        for n in range(30):
            await ledger.commit(*ledger.report(CHILD.node_id, f"{n}" * 100_000))
        log = state.directory / "registry.sqlite-wal"
        assert log.stat().st_size < 8 << 20
        assert (state.directory / "registry.sqlite").stat().st_size > 4 << 20
        again, warnings = await state.open_again(ledger)
        assert warnings == ()
        assert again.tree.mail == ledger.tree.mail


async def test_the_log_is_not_copied_before_it_has_grown(tmp_path: Path) -> None:
    """Commits of many events share their pages: the log is used as far as it may grow."""
    async with State(tmp_path / "state") as state:
        ledger = await grown(state)
        for _ in range(120):
            whole = Ledger(ledger.store, ledger.tree)
            events: list[AnyEvent] = []
            for _ in range(30):
                fresh = whole.report(CHILD.node_id, "x" * 300)
                whole.tree = whole.fold(*fresh)[1]
                events += fresh
            await ledger.commit(*events)
        size = (state.directory / "registry.sqlite-wal").stat().st_size
        assert 1 << 20 < size < 8 << 20
        again, _ = await state.open_again(ledger)
        assert again.tree.mail == ledger.tree.mail


async def test_a_commit_that_cannot_be_written_can_be_tried_again(tmp_path: Path) -> None:
    """Where no file may grow a commit fails whole; with room the same batch is taken."""
    async with State(tmp_path / "state") as state:
        ledger = await grown(state)
        await ledger.commit(ledger.checkpoint(CHILD.node_id), lines=(line(CHILD, 2),))
        soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
        size = (state.directory / "registry.sqlite-wal").stat().st_size
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
        try:
            for _ in range(2):
                with pytest.raises(StoreFault, match="IOERR_WRITE") as caught:
                    await ledger.commit(*ledger.report(CHILD.node_id, "x" * 50_000))
                assert not caught.value.fatal
            with pytest.raises(StoreFault, match="IOERR_WRITE"):
                await ledger.store.lines_synced(((CHILD.node_id, 2),))
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        await ledger.commit(*ledger.report(CHILD.node_id, "x" * 50_000))
        again, _ = await state.open_again(ledger)
        assert again.tree.nodes == ledger.tree.nodes
        assert len(await again.store.unsynced_lines()) == 1


async def test_a_store_that_is_not_open_says_so(tmp_path: Path) -> None:
    """Before loading and after closing every request is a fatal fault."""
    async with State(tmp_path / "state") as state:
        store = state.store()
        with pytest.raises(StoreFault, match="not open"):
            await store.unsynced_lines()
        ledger = await grown(state)
        await ledger.store.aclose()


async def test_records_spoiled_later_are_a_fault(tmp_path: Path) -> None:
    """A record that cannot be read when it is asked for is a fault of that request alone."""
    async with State(tmp_path / "state") as state:
        ledger = await grown(state)
        await ledger.store.aclose()
        with closing(sqlite3.connect(state.directory / "registry.sqlite")) as db:
            db.execute("UPDATE events SET body = ? WHERE seq = 2", (b"{",))
            db.commit()
        ledger, warnings = await state.open()
        assert warnings == ()
        with pytest.raises(StoreFault, match="cannot be read") as caught:
            await ledger.store.events_after(0, 10)
        assert not caught.value.fatal
        await ledger.commit(*ledger.report(CHILD.node_id))


async def test_commits_go_on_beside_a_backup(tmp_path: Path) -> None:
    """Commits asked for during a backup do not wait for its end, and are in it."""
    async with State(tmp_path / "state") as state:
        ledger = await grown(state)
        for n in range(40):  # 12 MiB, so that there are several pieces to copy
            body = {"o": "x" * 300_000}
            await ledger.commit(
                *ledger.report(CHILD.node_id, stage=Stage.PROGRESS),
                lines=(line(CHILD, n + 2, body=body),),
            )
        order: list[str] = []

        async def back_up() -> None:
            await ledger.store.backup()
            order.append("backup")

        async def commit() -> None:
            await ledger.commit(*ledger.report(CHILD.node_id, "meanwhile"))
            order.append("commit")

        await asyncio.gather(back_up(), commit())
        assert order == ["commit", "backup"]
        (path,) = (state.directory / "backups").iterdir()
        with closing(sqlite3.connect(path)) as db:
            assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
            assert db.execute("SELECT max(seq) FROM events").fetchone()[0] == ledger.tree.seq


async def test_closing_does_not_wait_for_a_backup(tmp_path: Path) -> None:
    """A backup under way when the store is closed is given up, and leaves no half of itself."""
    async with State(tmp_path / "state") as state:
        ledger = await grown(state)
        for n in range(10):
            body = {"o": "x" * 300_000}
            await ledger.commit(
                *ledger.report(CHILD.node_id, stage=Stage.PROGRESS),
                lines=(line(CHILD, n + 2, body=body),),
            )
        backing_up = asyncio.ensure_future(ledger.store.backup())
        await asyncio.sleep(0)  # it is asked for before the end is
        await ledger.store.aclose()
        with pytest.raises(StoreFault, match="being closed"):
            await backing_up
        assert list((state.directory / "backups").iterdir()) == []


async def test_three_backups_are_kept(tmp_path: Path) -> None:
    """Of many backups the three newest stay, and a start takes none when one is fresh."""
    async with State(tmp_path / "state") as state:
        ledger = await grown(state)
        for _ in range(5):
            await ledger.store.backup()
        kept = sorted((state.directory / "backups").iterdir())
        assert len(kept) == 3
        ledger, _ = await state.open_again(ledger)
        await ledger.commit(*ledger.report(CHILD.node_id))
        assert sorted((state.directory / "backups").iterdir()) == kept


async def test_a_backup_that_cannot_be_taken_harms_nothing(tmp_path: Path) -> None:
    """A file in place of the folder of backups is a fault that says so; commits go on."""
    async with State(tmp_path / "state") as state:
        ledger = await grown(state)
        (state.directory / "backups").write_text("in the way")
        with pytest.raises(StoreFault, match="taking a backup") as caught:
            await ledger.store.backup()
        assert not caught.value.fatal
        await ledger.commit(*ledger.report(CHILD.node_id))


async def test_workspaces_are_listed_before_their_nodes_are_true(tmp_path: Path) -> None:
    """When the list cannot be written nothing is committed; once it can, the workspace is in it."""
    async with State(tmp_path / "state") as state:
        ledger = await grown(state)
        assert workspaces.known(Places(state.directory)) == ("/w",)
        (state.directory / "workspaces.json.new").mkdir()
        with pytest.raises(StoreFault, match="listing a workspace"):
            await ledger.commit(opened(root(9, "/v")))
        (state.directory / "workspaces.json.new").rmdir()
        await ledger.commit(opened(root(9, "/v")))
        assert workspaces.known(Places(state.directory)) == ("/v", "/w")


async def test_an_unreadable_list_of_workspaces_is_made_again(tmp_path: Path) -> None:
    """The list is rebuilt from the store, and the bad one is kept and named."""
    async with State(tmp_path / "state") as state:
        ledger = await grown(state)
        listed = state.directory / "workspaces.json"
        listed.write_bytes(b"\0\0\0")
        _, warnings = await state.open_again(ledger)
        assert workspaces.known(Places(state.directory)) == ("/w",)
        assert listed.with_name("workspaces.aside-1.json").read_bytes() == b"\0\0\0"
        assert any("workspaces.aside-1.json" in warning for warning in warnings)


async def test_room_ends_at_the_low_water_mark(tmp_path: Path) -> None:
    """Below the mark there is no room, and no ballast is laid then."""
    async with State(tmp_path / "state") as state:
        ledger, _ = await state.open(low_water_bytes=1 << 60)
        assert not ledger.store.room()
        assert not (state.directory / "ballast").exists()
        await ledger.store.aclose()
        ledger, _ = await state.open()
        assert ledger.store.room()
        assert (state.directory / "ballast").stat().st_blocks * 512 >= 1 << 16
