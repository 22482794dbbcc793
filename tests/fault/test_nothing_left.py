"""Whatever a child's processes do to get away, none outlives the child, however that ends."""

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from subsessiond.adapters.processes import available_containers
from tests.support.closing import within, zombies
from tests.support.daemon import Daemon
from tests.support.groups import delegated
from tests.support.hire import CONFIG, HANDS, hire, wait_for
from tests.support.ordinary import needs_root, run_tests
from tests.support.remains import read_notes, remains

FAMILY = str(Path(__file__).parents[1] / "support/agents/family.py")
KINDS = ("cgroup", "pidns", "descent")
SHAPES = ("chain", "hidden", "deaf", "holder", "groups", "mover")
QUICK = """
[quick]
tier = "command"
tools = ["read", "execute"]
token_cap = 20_000
tool_timeout_ms = 1
"""
"""A role whose children are silent too long at once."""
LIMITS = """
[limits]
live_per_parent = 20
spawn_burst = 100
[processes]
term_grace_ms = 300
"""
OF_A_RESTART = ("daemon-restart", "start-interrupted")

available = cache(available_containers)
pytestmark = pytest.mark.timeout(60)


class House:
    """A daemon with families in it."""

    def __init__(self, daemon: Daemon) -> None:
        self.daemon = daemon
        self.root = daemon.open()
        self._mark = f"0.{os.getpid():07d}{time.monotonic_ns() % 10**9:09d}"
        self._notes: list[Path] = []

    def start(self, *shapes: str, end: str = "stay", role: str = "check") -> list[str]:
        """Start a family of each shape; gives their nodes once all of each are there."""
        notes = [self.daemon.workspace / f"{role}-{end}-{shape}" for shape in shapes]
        nodes = [self._start(*pair, end, role) for pair in zip(shapes, notes, strict=True)]
        for path in notes:
            within(lambda path=path: not _is_ready(path), f"{path.name} does not get ready", 15)
        self._notes += notes
        return nodes

    def _start(self, shape: str, notes: Path, end: str, role: str) -> str:
        argv = [sys.executable, "-I", "-S", FAMILY, shape, str(notes), self._mark, end]
        order = {"parentId": self.root, "role": role, "brief": {"mission": shape}, "argv": argv}
        return str(self.daemon.call("subsession.spawn", **order)["nodeId"])

    def check_gone(self, nodes: list[str]) -> list[dict[str, Any]]:
        """See that all nodes are released, and that nothing of any family is left."""
        rows = [wait_for(self.daemon, node, "released") for node in nodes]
        assert self.look() == {}
        assert [row.get("leftovers") for row in rows if row.get("leftovers")] == []
        within(lambda: zombies(self.daemon), "zombies")
        return rows

    def look(self) -> dict[int, str]:
        """Find what is left."""
        noted = {one for path in self._notes for one in read_notes(path)}
        assert len(noted) >= len(self._notes)
        return remains(self._mark, noted)


def _is_ready(path: Path) -> bool:
    return path.exists() and "ready" in path.read_text("ascii").split()


@contextmanager
def house(kind: str) -> Iterator[House]:
    """Give a daemon that holds its children in one kind of container."""
    if kind not in available():
        pytest.skip(f"this user cannot make a {kind} container on this machine")
    main = f'{LIMITS}container = "{kind}"\n'
    config = {**CONFIG, "roles.toml": HANDS + QUICK, "subsessiond.toml": main}
    with Daemon(config=config) as daemon:
        made = House(daemon)
        yield made
        assert made.look() == {}


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_is_left_of_a_child_that_ends(kind: str) -> None:
    """What leaves by itself, what is cancelled and what the sweep retires leaves nobody."""
    with house(kind) as here:
        rebels = ("rebel",) if kind == "descent" else ()  # elsewhere nobody of ours is in reach
        for row in here.check_gone(here.start(*SHAPES, *rebels, end="leave")):
            assert row["reason"] in ("exited", "killed-by-signal")
        cancelled = here.start(*SHAPES)
        assert here.look() != {}
        for node in cancelled:
            here.daemon.call("subsession.cancel", nodeId=node, waitMs=0)
        here.check_gone(cancelled)
        other = hire(here.daemon, here.root, "true")
        wait_for(here.daemon, other, "released")
        retired = here.start(*SHAPES, role="quick")
        # Why a succession: it begins with a sweep, and nothing has to wait for the timer.
        here.daemon.call("subsession.succeed", childId=other)
        for row in here.check_gone(retired):
            assert row["reason"] == "retired-silent"


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_is_left_of_a_daemon_that_ends(kind: str) -> None:
    """A stopped one takes everything with it; what a killed one left, the next ends before it
    answers its first call.
    """
    with house(kind) as here:
        nodes = here.start(*SHAPES)
        assert here.look() != {}
        assert here.daemon.stop() == 0
        assert here.look() == {}
        here.daemon.start()
        assert {row["reason"] for row in here.check_gone(nodes)} == {"daemon-stopped"}
        nodes = here.start(*SHAPES, role="hand")
        assert here.look() != {}
        here.daemon.kill()
        here.daemon.start()
        assert here.look() == {}
        assert {row["reason"] for row in here.check_gone(nodes)} <= {*OF_A_RESTART}


@needs_root
@pytest.mark.timeout(120)
@pytest.mark.parametrize("kind", KINDS)
def test_all_of_it_holds_for_an_ordinary_user(kind: str) -> None:
    """The same: in a group that was made over to him, in a namespace of his own, and by descent
    where he is refused namespaces, so that there is nothing else.
    """
    refused, only = kind == "descent", "not ordinary" + f" and {kind}" * (kind != "descent")
    with delegated(wanted=kind == "cgroup") as group:
        run = run_tests(__file__, "-k", only, limit_s=110, group=group, refused=refused)
    told = "\n2 passed, 4 skipped" if refused else "\n2 passed, "
    assert told in run.stdout, run.stdout[-4_000:] + run.stderr[-1_000:]
    assert refused or " skipped" not in run.stdout
