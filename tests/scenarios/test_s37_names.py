"""S37: a name never becomes a path, a line of a log, or another node."""

import json
import sqlite3
from pathlib import Path
from typing import Any, Final

import pytest

from tests.support.rawsocket import RawSocket
from tests.support.tables import tables
from tests.support.yard import Yard, scenario

BAD: Final = (
    "../../x",
    "/tmp/x",
    "a/b",
    ".",
    "..",
    "a\0b",
    "a\nb",
    "n" * 300,
    "%2e%2e%2f",
    "",
)
BAD_ROLES: Final = tuple(bad for bad in BAD if bad != "a/b")
"""A role may have one slash in its name; no file is ever named after one."""

INVALID: Final = -32602

FIELDS: Final[dict[str, tuple[str, str, dict[str, Any]]]] = {
    "cancel": ("subsession.cancel", "nodeId", {}),
    "close": ("subsession.close", "nodeId", {}),
    "node": ("subsession.node", "nodeId", {}),
    "steer": ("subsession.steer", "nodeId", {"text": "t"}),
    "inbox": ("subsession.inbox", "nodeId", {}),
    "journal": ("subsession.journal", "nodeId", {}),
    "dismiss": ("subsession.dismiss", "nodeId", {}),
    "release": ("subsession.release", "nodeId", {}),
    "handover": ("subsession.handover", "nodeId", {"action": "letter"}),
    "tree root": ("subsession.tree", "rootId", {}),
    "tree cursor": ("subsession.tree", "after", {}),
    "receipt": ("subsession.receipt", "messageId", {}),
    "succeed": ("subsession.succeed", "childId", {}),
    "succeed key": ("subsession.succeed", "idempotencyKey", {"childId": "0" * 26}),
    "succeed role": ("subsession.succeed", "role", {"childId": "0" * 26}),
    "resume": ("subsession.open", "resume", {"workspace": "/tmp"}),
    "parent": ("subsession.spawn", "parentId", {"role": "check", "brief": {"mission": "m"}}),
    "role": ("subsession.spawn", "role", {"brief": {"mission": "m"}}),
    "key": ("subsession.spawn", "idempotencyKey", {"role": "check", "brief": {"mission": "m"}}),
}


def files_below(folder: Path) -> set[str]:
    """List everything below a folder but what the daemon may write."""
    own = (folder / "state", folder / "work" / ".subsession")
    found = (path for path in folder.rglob("*"))
    return {str(p) for p in found if not any(p == mine or mine in p.parents for mine in own)}


@pytest.mark.scenario("S37")
def test_every_bad_name_is_refused_at_the_boundary() -> None:
    """Each field names itself, the value is not repeated, and no file is made by any of them."""
    with scenario(tables()) as yard:
        child = yard.speaker()
        folder = yard.daemon.folder
        before = files_below(folder)
        near = (Path("/tmp/x"), folder.parent / "x", folder / "x")
        there = [path.exists() for path in near]
        with RawSocket(yard.socket) as socket:
            for method, field, rest in FIELDS.values():
                for bad in BAD if field != "role" else BAD_ROLES:
                    error = socket.error(method, **rest, **{field: bad})
                    assert error["code"] == INVALID, (method, field, bad)
                    assert [f["path"] for f in error["data"]["fields"]] == [field], (method, bad)
                    assert len(bad) < 4 or bad not in json.dumps(error)
            for bad in BAD:
                brief = {"mission": "m", "continues": bad}
                params = {"parentId": yard.root, "role": "check", "argv": ["true"]}
                error = socket.error("subsession.spawn", brief=brief, **params)
                assert error["data"]["code"] == "BRIEF_INVALID"
                assert [f["path"] for f in error["data"]["fields"]] == ["brief.continues"]
        with RawSocket(yard.socket, child.token) as socket:
            for bad in BAD:
                error = socket.error("subsession.report", output="o", nodeId=bad)
                assert [f["path"] for f in error["data"]["fields"]] == ["nodeId"]
                words = {"phase": "p", "state": "s", "nextStep": "n", "nodeId": bad}
                error = socket.error("subsession.checkpoint", **words)
                assert error["data"]["code"] == "CHECKPOINT_INVALID"
                error = socket.error("subsession.report", output="o", idempotencyKey=bad)
                assert [f["path"] for f in error["data"]["fields"]] == ["idempotencyKey"]
        assert files_below(folder) == before
        assert [path.exists() for path in near] == there


@pytest.mark.scenario("S37")
def test_an_id_in_another_letter_case_is_another_id() -> None:
    """What differs in case alone is not found, and never the node that it looks like."""
    with scenario(tables()) as yard, RawSocket(yard.socket) as socket:
        node = yard.hire("sleep", "600")
        other = node.upper()
        assert other != node
        error = socket.error("subsession.cancel", nodeId=other)
        assert error["code"] in (INVALID, 9001)
        assert yard.row(node)["state"] == "running"


@pytest.mark.scenario("S37")
def test_no_name_forges_a_line_of_the_log() -> None:
    """Titles and roles hold no line break, and every line of the log is one object."""
    with scenario(tables()) as yard, RawSocket(yard.socket) as socket:
        forged = 'x"}\n{"event":"forged"'
        for field in ("role", "idempotencyKey"):
            params = {"parentId": yard.root, "role": "check", "brief": {"mission": "m"}}
            assert socket.error("subsession.spawn", **{**params, field: forged})["code"] == INVALID
        brief = {"mission": forged, "title": forged}
        error = socket.error("subsession.spawn", parentId=yard.root, role="check", brief=brief)
        assert error["data"]["fields"][0]["path"] == "brief.title"
        node = yard.hire(
            "sh", "-c", 'echo \'{"event":"forged"}\'; exit 3', brief={"mission": forged}
        )
        yard.wait(node, "released")
        lines = (yard.daemon.state / "daemon.log").read_text("utf-8").splitlines()
        events = [json.loads(line)["event"] for line in lines]
        assert events
        assert "forged" not in events


@pytest.mark.scenario("S37")
def test_planted_links_are_not_followed() -> None:
    """Where a journal would be made or appended to, a link leads nobody out of the workspace."""
    with scenario(tables()) as yard:
        outside = yard.daemon.folder / "outside"
        outside.mkdir()
        target = outside / "precious"
        target.write_text("untouched\n")
        child = yard.speaker()
        words = {"phase": "p", "state": "s", "nextStep": "n"}
        child.call("subsession.checkpoint", **words)
        journal = yard.workspace / ".subsession" / "journals" / f"{child.node}.journal.jsonl"
        yard.daemon.call("subsession.journal", nodeId=child.node)  # answers once it is written
        kept = journal.read_bytes()
        planted = yard.workspace / "planted"
        planted.symlink_to(target)
        planted.replace(journal)  # at once: the daemon makes a journal again that is missing
        saved = child.call("subsession.checkpoint", **words)
        child.final()
        child.close()
        yard.wait(child.node, "released")
        assert target.read_text() == "untouched\n"
        assert saved["line"] > kept.count(b"\n") - 1
        journal.unlink()
        journal.write_bytes(kept)


@pytest.mark.scenario("S37")
def test_a_journal_folder_that_leads_away_gets_nothing() -> None:
    """Where `.subsession` is a link to elsewhere children run, and elsewhere gets no files."""
    with scenario(tables()) as other:
        outside = other.daemon.folder / "outside"
        outside.mkdir()
        workspace = other.daemon.folder / "yards" / "planted"
        workspace.mkdir(parents=True)
        (workspace / ".subsession").symlink_to(outside)
        yard = Yard(other.daemon, "planted")
        node = yard.settled()
        assert yard.row(node)["outcome"] == "completed"
        other.settled()  # by now the journal lines of the first have had their turn
        assert list(outside.iterdir()) == []


@pytest.mark.scenario("S37")
def test_saved_state_with_a_bad_id_is_set_aside_and_the_rest_loads() -> None:
    """A record under a name that is none is told of and left out; no file comes of it."""
    with scenario(tables()) as yard:
        node = yard.settled()
        daemon = yard.daemon
        before = daemon.rows()
        daemon.stop()
        plant(daemon.state, node, "../../x")
        journals = yard.workspace / ".subsession" / "journals"
        (journals / "..%2f..%2fx.journal.jsonl").write_bytes(b"{}\n")
        files = files_below(daemon.folder)
        daemon.start()
        assert daemon.rows() == before
        assert "../../x" in daemon.said()
        assert files_below(daemon.folder) == files
        assert yard.settled() != node
        (journals / "..%2f..%2fx.journal.jsonl").unlink()


def plant(state: Path, node: str, name: str) -> None:
    """Copy a node's record under another name."""
    (path,) = (p for p in state.glob("*.sqlite*") if p.suffix == ".sqlite")
    with sqlite3.connect(path) as db:
        row = db.execute("SELECT * FROM nodes WHERE id = ?", (node,)).fetchone()
        planted = [
            value.replace(node.encode(), name.encode()) if isinstance(value, bytes) else value
            for value in row
        ]
        marks = ", ".join("?" * len(row))
        db.execute(f"INSERT INTO nodes VALUES ({marks})", [name, *planted[1:]])
    db.close()
