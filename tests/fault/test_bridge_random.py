"""A daemon that is killed at any moment under a bridge that calls all the time."""

import json
import os
import random
import signal
import time
from collections import Counter
from typing import Any

import pytest

from tests.support.daemon import Daemon
from tests.support.hire import CONFIG
from tests.support.ide import Ide, Wire, end_daemon, roots_on

FULL = os.environ.get("SCENARIO_CYCLES") == "full"
KILLS = 60 if FULL else 6
ORDER = {
    "role": "script",
    "mission": json.dumps({"steps": [{"pauseMs": 600_000}]}),
    "tokenCap": 20_000,
}
FREED = ("start-interrupted", "start-failed")
"""Reasons of a child that surely did not start, whose key may be used again."""
LIMITS = """
[limits]
spawn_burst = 10_000
spawns_per_second = 1_000
spawns_per_tree = 10_000
live_per_parent = 1_000
live_per_tree = 1_000
live_total = 1_000
"""


class Caller:
    """Makes calls of every kind, and knows which answers are due."""

    def __init__(self, wire: Wire, dice: random.Random) -> None:
        self._wire = wire
        self._dice = dice
        self.begun: dict[int, str] = {}
        self.keys: list[str] = []

    def call(self) -> None:
        """Begin one call."""
        kind = self._dice.choice(("list", "tree", "inbox", "ping", "spawn", "again"))
        if kind in ("list", "ping"):
            number = self._wire.begin({"list": "tools/list", "ping": "ping"}[kind])
        elif kind in ("tree", "inbox"):
            number = self._wire.begin_tool(f"subsession_{kind}")
        else:
            number = self._spawn(self._key(anew=kind == "spawn"))
        self.begun[number] = kind

    def _key(self, *, anew: bool) -> str:
        if anew or not self.keys:
            self.keys.append(f"k{len(self.keys)}")
            return self.keys[-1]
        return self._dice.choice(self.keys)

    def _spawn(self, key: str) -> int:
        return self._wire.begin_tool("subsession_spawn", title=key, idempotencyKey=key, **ORDER)

    def repeat(self) -> dict[str, str]:
        """Ask for every spawn once more; gives the child of each key."""
        held = {}
        for key in self.keys:  # one by one: so many at once are more than the guard lets in
            said = self._wire.answer(self._spawn(key))["result"]
            assert not said["isError"], said
            held[key] = json.loads(said["content"][0]["text"])["nodeId"]
        return held


@pytest.mark.timeout(60 + 20 * KILLS)  # each kill costs the start of a daemon
def test_every_call_is_answered_once_and_every_key_is_one_child(dice: random.Random) -> None:
    """Whatever was under way when the daemon died, and though the bridge starts each one itself."""
    config = {**CONFIG, "subsessiond.toml": LIMITS}
    with Daemon(config=config) as daemon:
        environ = {"SUBSESSION_CONFIG_DIR": str(daemon.config)}
        with Ide(daemon.state, daemon.workspace, environ=environ) as ide:
            ide.greet()
            roots = roots_on(daemon, daemon.workspace)
            caller = Caller(ide.wire, dice)
            for _ in range(KILLS):
                for _ in range(dice.randrange(1, 40)):
                    caller.call()
                time.sleep(dice.random() * 0.1)  # so that it dies at another instant each time
                end_daemon(daemon, signal.SIGKILL)
                for _ in range(dice.randrange(4)):
                    caller.call()
                for number in caller.begun:
                    ide.wire.answer(number)
            held = caller.repeat()
            _check(ide.wire.heard, caller)
            assert roots_on(daemon, daemon.workspace) == roots
            _check_children(daemon, held)
        end_daemon(daemon)


def _check(heard: list[Any], caller: Caller) -> None:
    """Each call has one answer, and only calls of tools may have been lost."""
    counted = Counter(one["id"] for one in heard if "method" not in one)
    assert set(counted.values()) == {1}
    assert caller.begun.keys() <= counted.keys()
    by_id = {one["id"]: one for one in heard if "method" not in one}
    for number, kind in caller.begun.items():
        if kind in ("list", "ping"):
            assert "result" in by_id[number], by_id[number]


def _check_children(daemon: Daemon, held: dict[str, str]) -> None:
    """Of each key one child was begun; one whose start surely did not happen gave its key back."""
    begun: dict[str, list[str]] = {}
    for node_id, row in daemon.rows().items():
        if row.get("parentId") and row.get("reason") not in FREED:
            begun.setdefault(row["title"], []).append(node_id)
    for key, children in begun.items():
        assert children == [held[key]], (key, children, held[key])
