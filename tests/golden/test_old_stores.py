"""Stores written by earlier versions load for ever. The files are never rewritten."""

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from subsessiond.adapters.store import schema
from subsessiond.model.ledger import Account, Life
from subsessiond.model.message import MessageState
from subsessiond.model.node import Status
from subsessiond.model.projectrole import AcceptedRole
from subsessiond.model.role import ToolClass
from tests.support.ledger import State, node_id

COUNTING = 3
"""The version that began to count."""

HERE = Path(__file__).parent
ACCEPTING = 4
"""The first version that keeps which roles of workspaces were accepted."""
MOTHER, CHILD, ENDED, OLD = (node_id(n) for n in (1, 2, 3, 9))
COUNTED = (
    Account(node_id=MOTHER, general=90, definitions=9_000, since_ms=1_700_000_000_000),
    Account(
        node_id=CHILD,
        said=1_200,
        printed=250_000,
        errors=7,
        mail=420,
        again=431,
        answers=180,
        definitions=2_000,
    ),
)
COUNTED_LIVES = (Life(began_ms=1, found_ms=2),)


def test_every_version_has_its_golden_store() -> None:
    """Whoever adds a version adds a store written by the one before."""
    assert {path.name for path in HERE.glob("store-v*.sqlite")} == {
        f"store-v{version}.sqlite" for version in range(1, len(schema.MIGRATIONS) + 1)
    }


@pytest.mark.parametrize("version", range(1, len(schema.MIGRATIONS) + 1))
async def test_an_old_store_loads(tmp_path: Path, version: int) -> None:
    """Nodes, mail, keys, lines and events of an old store are all there, and it goes on."""
    async with State(tmp_path / "state") as state:
        path = state.directory / "registry.sqlite"
        shutil.copy(HERE / f"store-v{version}.sqlite", path)
        ledger, warnings = await state.open()
        assert warnings == ()
        tree, store = ledger.tree, ledger.store
        assert (tree.seq, len(tree.nodes)) == (20, 3)
        node = tree.nodes[CHILD]
        assert (node.status, node.stopping, node.findings) == (Status.RUNNING, True, 1)
        assert node.role is not None
        assert node.role.tools == (ToolClass.READ, ToolClass.EDIT)
        assert node.brief is not None
        assert (node.brief.mission, node.brief.token_cap) == ("Sweep the stairs ☂.", 9_000)
        assert node.identity is not None
        assert (node.identity.pid, node.identity.cgroup) == (77, "/x")
        assert node.checkpoint is not None
        assert (node.checkpoint.line, node.checkpoint.phase) == (3, "half way")
        assert [receipt.message_id for receipt in node.receipts] == [f"{CHILD}.1"]
        ended = tree.nodes[ENDED]
        assert ended.settlement is not None
        assert (ended.settlement.reason, ended.leftovers) == ("final-report", ("process 9",))
        assert ended.grant.tools == (ToolClass.EXECUTE,)
        assert [(m.text, m.state) for m in tree.mail[MOTHER]] == [
            ("a finding", MessageState.STAGED),
            ("done", MessageState.STAGED),
        ]
        assert tree.keys[(MOTHER, "stairs-1")].fingerprint == "ab" * 32
        assert [line.n for line in await store.unsynced_lines()] == [2, 3]
        assert [event.seq for event in await store.events_after(0, 99)] == list(range(1, 21))
        old = await store.node(OLD)
        assert old is not None
        assert old.status is Status.RELEASED
        accepted = AcceptedRole(workspace="/work", name="project/rev", digest="ab" * 32)
        assert await store.roles.of("/work") == ((accepted,) if version >= ACCEPTING else ())
        await ledger.commit(*ledger.report(CHILD))
        lives = await store.begin_counting(9)
        counts = await store.accounts((MOTHER, CHILD, ENDED))
        assert (lives, counts) == ((COUNTED_LIVES, COUNTED) if version >= COUNTING else ((), ()))


async def test_a_store_is_backed_up_before_it_is_migrated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first start of a newer program keeps the store as the older one left it."""

    def step(db: sqlite3.Connection) -> None:
        db.execute("CREATE TABLE more (x)")

    older = len(schema.MIGRATIONS)
    async with State(tmp_path / "state") as state:
        shutil.copy(HERE / f"store-v{older}.sqlite", state.directory / "registry.sqlite")
        monkeypatch.setattr(schema, "MIGRATIONS", (*schema.MIGRATIONS, step))
        ledger, warnings = await state.open()
        assert warnings == ()
        await ledger.commit(*ledger.report(CHILD))
        (path,) = (state.directory / "backups").iterdir()
        with closing(sqlite3.connect(path)) as db:
            assert schema.version_of(db) == older
        _, warnings = await state.open_again(ledger)
        assert warnings == ()


def test_a_migration_happens_whole_or_not_at_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A step that fails leaves the old version as it was; the same store migrates later."""
    with closing(sqlite3.connect(tmp_path / "store", isolation_level=None)) as db:
        schema.migrate(db)

        def broken(db: sqlite3.Connection) -> None:
            db.execute("CREATE TABLE more (x)")
            db.execute("CREATE TABLE more (x)")

        def works(db: sqlite3.Connection) -> None:
            db.execute("CREATE TABLE more (x)")

        monkeypatch.setattr(schema, "MIGRATIONS", (*schema.MIGRATIONS, broken))
        with pytest.raises(sqlite3.OperationalError):
            schema.migrate(db)
        assert schema.version_of(db) == len(schema.MIGRATIONS) - 1
        monkeypatch.setattr(schema, "MIGRATIONS", (*schema.MIGRATIONS[:-1], works))
        schema.migrate(db)
        assert schema.version_of(db) == len(schema.MIGRATIONS)
        assert db.execute("SELECT count(*) FROM more").fetchone() == (0,)
