"""S25: a store that a crash has spoiled is never taken for an empty one.

Hundreds of kills during constant writes run in `fault/test_store_killed.py` and, against the whole
daemon, in `fault/test_random_kills.py`.
"""

import json
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

from tests.support.closing import check_closing
from tests.support.daemon import Daemon
from tests.support.hire import CONFIG, StandIn, hire, wait_for

EXIT_FAULT = 70
AS_NOBODY = """
import os, sys
import subsessiond.app, subsessiond.cli  # an ordinary user may not be able to read them
os.setgroups([])
os.setresgid(65534, 65534, 65534)
os.setresuid(65534, 65534, 65534)
sys.exit(subsessiond.cli.main(sys.argv[1:]))
"""


STEPS = (
    {"checkpoint": {"phase": "half way", "state": "two of four files", "nextStep": "read on"}},
    {"report": {"output": "all done", "stage": "final", "outcome": "completed"}},
)


def blank(store: Path) -> None:
    """Zero length."""
    store.write_bytes(b"")


def nothing_but_nul(store: Path) -> None:
    """As long as before, and all zeros."""
    store.write_bytes(bytes(store.stat().st_size))


def half(store: Path) -> None:
    """Only the first half is left."""
    store.write_bytes(store.read_bytes()[: store.stat().st_size // 2])


def missing_beside_a_fresh_one(store: Path) -> None:
    """No store, but the temporary file of one that was being made."""
    store.rename(store.with_name("registry.fresh"))


def missing(store: Path) -> None:
    """No store at all."""
    store.unlink()


SPOILED = (blank, nothing_but_nul, half, missing_beside_a_fresh_one, missing)


def settled_tree(daemon: Daemon) -> tuple[str, dict[str, tuple[str, str]]]:
    """Make a tree with children that ended in several ways; gives the root and what is known."""
    root = daemon.open()
    for argv in (("true",), ("sh", "-c", "exit 3")):
        wait_for(daemon, hire(daemon, root, *argv), "released")
    brief = {"mission": json.dumps({"steps": STEPS})}
    order = {"parentId": root, "role": "script", "brief": brief}
    wait_for(daemon, daemon.call("subsession.spawn", **order)["nodeId"], "released")
    assert daemon.stop() == 0
    daemon.start()
    return root, known(daemon)


def known(daemon: Daemon) -> dict[str, tuple[str, str]]:
    """What must not be forgotten of each node: its outcome and its last checkpoint."""
    return {n: (r.get("outcome", ""), r.get("checkpoint", "")) for n, r in daemon.rows().items()}


@pytest.mark.scenario("S25")
@pytest.mark.timeout(60)
@pytest.mark.parametrize("spoil", SPOILED, ids=lambda spoil: spoil.__name__)
def test_a_spoiled_store_is_rebuilt_and_kept_aside(spoil: Callable[[Path], None]) -> None:
    """Every node is there again, and the log names the file that was put aside."""
    with Daemon(config=CONFIG) as daemon:
        root, before = settled_tree(daemon)
        daemon.kill()
        store = daemon.state / "registry.sqlite"
        shutil.rmtree(daemon.state / "backups", ignore_errors=True)
        for side in daemon.state.glob("registry.sqlite-*"):
            side.unlink()
        spoil(store)
        logged = (daemon.state / "daemon.log").stat().st_size
        spoiled = store.read_bytes() if store.exists() else None
        daemon.start()
        assert known(daemon) == before
        said = (daemon.state / "daemon.log").read_bytes()[logged:].decode()
        assert '"level": "warning"' in said
        if spoiled:
            (aside,) = daemon.state.glob("registry.aside-*.sqlite")
            assert aside.read_bytes() == spoiled
            assert aside.name in said
        # What is new is kept beside what was rebuilt.
        node = hire(daemon, root, "true")
        wait_for(daemon, node, "released")
        check_closing(daemon)


@pytest.mark.scenario("S25")
@pytest.mark.timeout(60)
def test_a_store_older_than_its_journals_catches_up() -> None:
    """A store brought back from an earlier day gets what the journals know since then."""
    with Daemon(config=CONFIG) as daemon:
        root = daemon.open()
        wait_for(daemon, hire(daemon, root, "true"), "released")
        daemon.stop()
        store = daemon.state / "registry.sqlite"
        old = store.read_bytes()
        daemon.start()
        with StandIn.hire(daemon, root) as child:
            child.checkpoint("half way", "two of four files", "read the third")
        daemon.stop()
        daemon.start()
        before = known(daemon)
        daemon.kill()
        for side in daemon.state.glob("registry.sqlite-*"):
            side.unlink()
        store.write_bytes(old)
        daemon.start()
        assert known(daemon) == before
        assert before[child.node_id][1]
        check_closing(daemon)


@pytest.mark.scenario("S25")
@pytest.mark.skipif(os.geteuid() != 0, reason="becoming an ordinary user takes root")
def test_a_forbidden_store_is_a_refusal_and_stays() -> None:
    """A store that may not be read ends the start in one sentence; no file is made or changed."""
    with tempfile.TemporaryDirectory(prefix="ssd-") as place:
        state = Path(place) / "state"
        with Daemon(config=CONFIG) as daemon:
            daemon.open()
            daemon.stop()
            shutil.copytree(daemon.state, state)
        store = state / "registry.sqlite"
        config = Path(place) / "config"
        config.mkdir()
        # Why all three, and this container: nothing has to be found where only root may look.
        descent = '[processes]\ncontainer = "descent"\n'
        for name, text in {**CONFIG, "subsessiond.toml": descent}.items():
            (config / name).write_text(text, "utf-8")
        for path in (Path(place), config, *config.iterdir(), state, *state.rglob("*")):
            os.chown(path, 65534, 65534)
        store.chmod(0)
        before = contents(state)
        done = subprocess.run(
            [
                sys.executable,
                "-c",
                AS_NOBODY,
                "serve",
                "--state-dir",
                state,
                "--config-dir",
                config,
            ],
            env={"PATH": os.environ["PATH"], "HOME": place},
            capture_output=True,
            text=True,
            timeout=25,
            check=False,
        )
        assert done.returncode == EXIT_FAULT, done.stderr
        assert f"opening {store}: Permission denied; nothing was changed" in done.stderr
        assert contents(state) == before


def contents(state: Path) -> list[tuple[str, int]]:
    """Name and size of all that is kept in a state directory; the log may grow, and the lock holds
    a number that may be longer than the last one.
    """
    kept = (path for path in state.iterdir() if path.name not in ("daemon.log", "lock"))
    return sorted((path.name, path.lstat().st_size) for path in kept)


@pytest.mark.scenario("S25")
@pytest.mark.timeout(60)
def test_a_stop_with_many_children_writes_each_end_once() -> None:
    """Twelve children that end with the daemon at once are each settled once in the store."""
    limits = "[limits]\nlive_per_parent = 20\nspawn_burst = 100\n"
    with Daemon(config={**CONFIG, "subsessiond.toml": limits}) as daemon:
        root = daemon.open()
        nodes = [hire(daemon, root, "sleep", "600", waitMs=0) for _ in range(12)]
        for node in nodes:
            wait_for(daemon, node, "running")
        assert daemon.stop() == 0
        with closing(
            sqlite3.connect(f"file:{daemon.state}/registry.sqlite?mode=ro", uri=True)
        ) as db:
            (settled,) = db.execute(
                "SELECT count(*) FROM events WHERE type = 'NodeSettled'"
            ).fetchone()
        assert settled == len(nodes)
        daemon.start()
        assert {daemon.rows()[node]["reason"] for node in nodes} == {"daemon-stopped"}
        check_closing(daemon)
