"""S23: a torn last line of a journal costs no record, before it or after it.

A child ends with its daemon, so what is appended after a start is how it was settled, and the next
checkpoint is its successor's.
"""

import threading
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

import msgspec
import pytest

from subsession.client import Client
from subsession.errors import SubsessionError
from tests.support.closing import check_closing, within
from tests.support.daemon import Daemon
from tests.support.hire import CONFIG, StandIn, wait_file, wait_for

TEARS: dict[str, Callable[[bytes], bytes]] = {
    "cut in half": lambda line: line[: len(line) // 2],
    "cut inside a character": lambda line: line[: line.index("ä".encode()) + 1],
    "no newline": lambda line: line[:-1],
    "cut, then an empty line": lambda line: line[: len(line) // 2] + b"\n\n",
}


class Journal:
    """A child's journal, and the checkpoints that were acknowledged."""

    def __init__(self, daemon: Daemon, child: StandIn) -> None:
        folder = daemon.workspace / ".subsession" / "journals"
        self.path = folder / f"{child.node_id}.journal.jsonl"
        self.node_id = child.node_id
        self._speak = partial(Client, daemon.socket, token=child.token)
        self.pointers: dict[str, str] = {}

    def save(self, state: str) -> None:
        """Save a checkpoint, and keep the pointer it was acknowledged with."""
        with self._speak() as child:
            self.pointers[state] = child.checkpoint("phase", state, "next")["pointer"]

    def save_until_killed(self) -> None:
        """Save one after the other until the daemon is gone."""
        with suppress(SubsessionError):
            for n in count():
                self.save(f"ä while it dies {n}")

    def misled(self) -> list[str]:
        """List pointers that do not lead to their own record, in the file itself."""
        lines = self.path.read_bytes().splitlines() if self.path.exists() else []
        return [s for s, pointer in self.pointers.items() if state_at(lines, pointer) != s]

    def tear(self, how: Callable[[bytes], bytes]) -> bytes:
        """Spoil the last line; gives what the file held."""
        whole = self.path.read_bytes()
        *kept, last = whole.splitlines(keepends=True)
        self.path.write_bytes(b"".join(kept) + how(last))
        return whole


def state_at(lines: list[bytes], pointer: str) -> str | None:
    """Follow a pointer as a successor does: path and line."""
    n = int(pointer.partition("#")[2])
    try:
        record: dict[str, Any] = msgspec.json.decode(lines[n - 1])
    except (IndexError, msgspec.MsgspecError):
        return None
    return str(record["body"].get("state")) if record["n"] == n else None


def warnings_of(daemon: Daemon, path: Path, after: int) -> list[str]:
    """Give the log's warnings about one file since some place of the log."""
    lines = (daemon.state / "daemon.log").read_bytes()[after:].splitlines()
    said = [msgspec.json.decode(line) for line in lines]
    return [x["words"] for x in said if x["level"] == "warning" and path.name in str(x)]


def hire_saver(daemon: Daemon, root: str) -> Journal:
    """Start a child that has three checkpoints in its journal."""
    with StandIn.hire(daemon, root) as child:
        journal = Journal(daemon, child)
    for n in range(3):
        journal.save(f"ä before {n}")
    within(journal.misled, "pointers that lead nowhere")
    return journal


def kill_while_saving(daemon: Daemon, journal: Journal) -> None:
    """Kill the daemon in the middle of checkpoints."""
    saving = threading.Thread(target=journal.save_until_killed)
    saving.start()
    wanted = len(journal.pointers) + 3
    within(lambda: len(journal.pointers) < wanted, "no checkpoint is acknowledged")
    daemon.kill()
    saving.join(20)
    assert not saving.is_alive()


@pytest.mark.scenario("S23")
@pytest.mark.parametrize("how", TEARS)
def test_a_torn_tail_swallows_no_record(how: str) -> None:
    """Before and after two tears and a kill each acknowledged checkpoint is where it was said."""
    with Daemon(config=CONFIG) as daemon:
        root = daemon.open()
        journal = hire_saver(daemon, root)
        whole = journal.tear(TEARS[how])
        journal.save("ä after the tear")
        journal.save("ä and once more")
        within(journal.misled, "pointers that lead nowhere")
        assert journal.path.read_bytes().startswith(whole)
        kill_while_saving(daemon, journal)
        journal.tear(TEARS[how])
        logged = (daemon.state / "daemon.log").stat().st_size
        daemon.start()
        within(lambda: not has_line(journal.path, "released"), "the end is not in the journal")
        assert journal.misled() == []
        assert len(warnings_of(daemon, journal.path, logged)) == 1
        for state, pointer in journal.pointers.items():
            assert read_at(daemon, pointer) == state
        check_successor(daemon, journal)
        check_closing(daemon)


def check_successor(daemon: Daemon, journal: Journal) -> None:
    """Let a successor find its predecessor's last checkpoint, and save one of its own."""
    node = journal.node_id
    row = wait_for(daemon, node)
    assert read_at(daemon, row["checkpoint"]) is not None
    heir = daemon.call("subsession.succeed", childId=node, waitMs=20_000)["nodeId"]
    assert row["checkpoint"] in daemon.call("subsession.node", nodeId=heir)["letter"]
    with StandIn(daemon.socket, token=wait_file(daemon.workspace / f".token-{heir}")) as speaker:
        pointer = speaker.checkpoint("phase", "ä at last", "next")["pointer"]
    assert f"{heir}.journal.jsonl#" in pointer
    within(lambda: read_at(daemon, pointer) != "ä at last", "the record is not there")


def read_at(daemon: Daemon, pointer: str) -> str | None:
    """Follow a pointer through the daemon."""
    place, _, line = pointer.partition("#")
    node = Path(place).name.split(".")[0]
    page = daemon.call("subsession.journal", nodeId=node, first=int(line), limit=1)
    return page["records"][0]["body"]["state"] if page["records"] else None


def has_line(path: Path, kind: str) -> bool:
    """Whether a journal has come to a line of some kind."""
    return f'"kind":"{kind}"'.encode() in path.read_bytes()


@pytest.mark.scenario("S23")
@pytest.mark.parametrize("alive", [True, False])
def test_an_emptied_journal_is_made_again(alive: bool) -> None:
    """The last three checkpoints are there again though the file was emptied, daemon up or down."""
    with Daemon(config=CONFIG) as daemon:
        journal = hire_saver(daemon, daemon.open())
        if not alive:
            daemon.kill()
        journal.path.write_bytes(b"")
        if alive:
            journal.save("ä afterwards")
            del journal.pointers[
                "ä before 0"
            ]  # the fourth last: whether it is kept depends on when
        else:
            daemon.start()
        within(journal.misled, "pointers that lead nowhere")
        check_closing(daemon)


@pytest.mark.scenario("S23")
def test_a_tear_is_told_once_and_clearly() -> None:
    """The log names the file that was damaged and what was done, in one warning."""
    with Daemon(config=CONFIG) as daemon:
        journal = hire_saver(daemon, daemon.open())
        with journal.path.open("ab") as file:
            file.write(b'{"v":1,"n":5,"at":17')
        journal.save("ä afterwards")
        within(journal.misled, "pointers that lead nowhere")
        # Why waited for: the line stands in its file before the warning stands in the log.
        within(lambda: not warnings_of(daemon, journal.path, 0), "no warning yet")
        (said,) = warnings_of(daemon, journal.path, 0)
        assert "torn tail of 20 bytes" in said
        check_closing(daemon)
