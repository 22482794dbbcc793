"""A daemon killed at any moment loses nothing it has acknowledged and does nothing twice."""

import os
import random
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, Self

import msgspec
import pytest

from subsession.client import Client
from subsession.errors import SubsessionError
from tests.support.closing import check_closing, marked, within
from tests.support.daemon import Daemon
from tests.support.hire import CONFIG

FULL = os.environ.get("SCENARIO_CYCLES") == "full"
KILLS = 60 if FULL else 10
KINDS = ("strongest", "pidns", "descent")
SPAWNERS = 3
LONGEST_S = 1.0
"""From the first spawn to the kill: admissions, starts, words, ends and stops all fall into it."""

WORKER = """
import itertools, sys, time
from pathlib import Path
from subsession.client import Client
acks = open(f".acks-{sys.argv[1]}", "a", buffering=1)
client = Client()
for n in itertools.count():
    said = client.report(f"{sys.argv[1]} says {n}", stage="finding" if n < 8 else "progress",
                         idempotency_key=f"k{n}")
    print("message", said["messageId"], f"{sys.argv[1]} says {n}", sep="\\t", file=acks)
    at = client.checkpoint(f"phase {n}", f"{sys.argv[1]} did {n}", "the next")
    print("checkpoint", at["pointer"], f"{sys.argv[1]} did {n}", sep="\\t", file=acks)
    if n == int(sys.argv[2]):
        said = client.report("done", stage="final", outcome="completed", idempotency_key="f")
        print("final", said["messageId"], "done", sep="\\t", file=acks)
        break
"""
"""Reports and saves as fast as it can, and writes down what it was acknowledged."""

LIMITS = """
[limits]
live_per_parent = 30
live_per_tree = 30
spawn_burst = 1_000
spawns_per_second = 1_000
[processes]
term_grace_ms = 300
"""


class Acknowledged(NamedTuple):
    """What callers were told before the kill."""

    spawned: list[str]
    cancelled: list[str]


class Crowd:
    """Callers that spawn and cancel until the daemon is gone, and note each acknowledgement."""

    def __init__(self, daemon: Daemon, root: str, seed: int) -> None:
        self.told = Acknowledged([], [])
        self._daemon = daemon
        self._root = root
        self._threads = [
            threading.Thread(target=self._spawn, args=(random.Random(seed + n), n))
            for n in range(SPAWNERS)
        ]

    def __enter__(self) -> Self:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        for thread in self._threads:
            thread.join(20)
            assert not thread.is_alive()

    def _spawn(self, dice: random.Random, n: int) -> None:
        with Client(self._daemon.socket, token="") as client, suppress(SubsessionError):
            for k in range(6):
                name = f"{self._root[-4:]}-{n}-{k}"
                node = client.call("subsession.spawn", self._order(dice, name))["nodeId"]
                self.told.spawned.append(node)
                if dice.random() < 0.3:
                    client.call("subsession.cancel", {"nodeId": node, "waitMs": 200})
                    self.told.cancelled.append(node)
                time.sleep(dice.random() * 0.05)

    def _order(self, dice: random.Random, name: str) -> dict[str, Any]:
        argv = dice.choice(
            [
                [sys.executable, "-c", WORKER, name, str(dice.choice([2, 1_000]))],
                ["sh", "-c", "trap '' TERM; while :; do sleep 0.1; done"],
                ["sh", "-c", "setsid sleep 600 & sleep 600"],
                ["sh", "-c", "echo quick"],
            ]
        )
        return {
            "parentId": self._root,
            "role": "check",
            "brief": {"mission": name},
            "argv": argv,
            "waitMs": dice.choice([0, 5_000]),
        }


@pytest.mark.timeout(90)  # four starts, with twenty programs beside them
@pytest.mark.parametrize("kill", range(KILLS))
def test_a_kill_at_any_moment_loses_nothing(kill: int, dice: random.Random) -> None:
    """All that was acknowledged is there, all children are settled and gone, nothing is redone."""
    main = LIMITS + f'container = "{KINDS[kill % len(KINDS)]}"\n'
    with Daemon(config={**CONFIG, "subsessiond.toml": main}) as daemon:
        opened = daemon.call("subsession.open", workspace=str(daemon.workspace))
        root = opened["nodeId"]
        with Crowd(daemon, root, dice.randrange(1 << 32)) as crowd:
            time.sleep(dice.uniform(0.05, LONGEST_S))
            daemon.kill()
        daemon.start()
        with Client(daemon.socket, token=opened["token"]) as owner:
            mail = all_mail(owner)
        check_nothing_lost(daemon, root, crowd.told, mail)
        seq = daemon.call("daemon.health")["seq"]
        daemon.kill()
        daemon.start()
        assert daemon.call("daemon.health")["seq"] == seq
        assert marked(daemon.rows()) == {}
        check_closing(daemon)


def check_nothing_lost(
    daemon: Daemon, root: str, told: Acknowledged, mail: dict[str, dict[str, Any]]
) -> None:
    """Look for everything that somebody was told, and at what became of every child."""
    rows = daemon.rows()
    children = rows.keys() - {root}
    assert set(told.spawned) <= children
    assert marked(rows) == {}
    for node in children:
        row = rows[node]
        assert (row["state"], row["reason"] in REASONS) == ("released", True), row
    for node in told.cancelled:
        assert rows[node]["outcome"] in ("cancelled", "completed")
    finals = [m["senderSessionId"] for m in mail.values() if m["stage"] == "final"]
    assert sorted(finals) == sorted(children)
    for kind, name, text in acknowledged(daemon.workspace):
        node = Path(name).name.split(".")[0]
        # Why looking more than once: lines that were not written yet are written after the start.
        within(partial(is_missing, daemon, node, kind, text), f"{kind} {name} {text}")
        if kind == "final":
            assert (rows[node]["reason"], rows[node]["author"]) == ("final-report", "child")
        if kind == "checkpoint":
            line = int(name.partition("#")[2])
            page = daemon.call("subsession.journal", nodeId=node, first=line, limit=1)
            assert page["records"][0]["body"]["state"] == text


REASONS = (
    *("daemon-restart", "start-interrupted"),
    *("cancelled-by-operator", "exited", "exit-status", "final-report"),
)


def is_missing(daemon: Daemon, node: str, kind: str, text: str) -> bool:
    """Whether a node's journal does not hold what the node was told is safe."""
    path = daemon.workspace / ".subsession" / "journals" / f"{node}.journal.jsonl"
    field, want = ("state", "checkpoint") if kind == "checkpoint" else ("output", "report")
    lines = (msgspec.json.decode(line) for line in path.read_bytes().splitlines())
    return not any(x["kind"] == want and x["body"].get(field) == text for x in lines)


def acknowledged(workspace: Path) -> Iterator[tuple[str, str, str]]:
    """Read what children wrote down: kind, id or pointer, text. A torn last line is none."""
    for path in sorted(workspace.glob(".acks-*")):
        for line in path.read_text("utf-8").splitlines(keepends=True):
            if line.endswith("\n"):
                kind, name, text = line.rstrip("\n").split("\t")
                yield kind, name, text


def all_mail(owner: Client) -> dict[str, dict[str, Any]]:
    """Read a mailbox whole, as its owner: page after page, each acknowledged."""
    found: dict[str, dict[str, Any]] = {}
    while page := owner.call("subsession.inbox", {"maxTokens": 8_000})["messages"]:
        found |= {m["messageId"]: m for m in page}
        owner.call("subsession.inbox", {"acknowledge": [m["messageId"] for m in page]})
    return found
