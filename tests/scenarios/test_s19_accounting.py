"""S19: whoever has ended counts no more, and counts once, however it ended.

Kinds of children: programs and scripts; the others join with their runners.
"""

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from subsession.errors import Refused
from tests.support.daemon import Daemon
from tests.support.rawsocket import Stream
from tests.support.tables import ROLES, tables
from tests.support.yard import STUBBORN, Speaker, Yard, refusal_of, scenario

CAP = 4
ROUNDS = 50 if os.environ.get("SCENARIO_CYCLES") == "full" else 7
"""Seven rounds of four: each way of ending comes four times."""

QUIET = '[quiet]\ntier = "scripted"\ntools = ["read"]\ntoken_cap = 20_000\nretire_timeout_ms = 1\n'
CONFIG = tables(
    roles=ROLES + QUIET,
    live_per_parent=CAP,
    spawns_per_tree="unlimited",
    spawn_burst=10_000,
)
WAYS = ("completed", "blocked", "failed", "cancelled", "no-final", "swept", "no-start")


class Round:
    """Four children and their ends."""

    def __init__(self, yard: Yard, other: str) -> None:
        self.yard = yard
        self.other = other
        self.nodes: list[str] = []
        self.speakers: dict[str, Speaker] = {}

    def begin(self, way: str) -> None:
        """Start a child that will end in one way."""
        match way:
            case "completed" | "blocked" | "failed":
                speaker = self.yard.speaker(script=STUBBORN)
                self.speakers[speaker.node] = speaker
                self.nodes.append(speaker.node)
            case "no-start":  # live until its start is known to have failed
                spawned = self.yard.spawn(argv=["/nowhere/program"])
                self.nodes.append(spawned["nodeId"])
            case "swept":
                self.nodes.append(self.yard.script({"awaitPrompt": True}, role="quiet"))
            case _:
                self.nodes.append(self.yard.hire("sleep", "600"))

    def end(self, node: str, way: str, *, together: bool) -> None:
        """End a child; together: its process ends and it is cancelled in the same instant."""
        speaker = self.speakers.get(node)
        calls = []
        if speaker is not None:
            extra: dict[str, object] = {"blockers": ["b"]} if way == "blocked" else {}
            calls.append(lambda: _final(speaker, way, extra))
            calls.append(speaker.leave)
        if together or way in ("cancelled", "no-final"):
            calls.append(lambda: self.yard.call("subsession.cancel", nodeId=node))
        threads = [threading.Thread(target=call) for call in calls]
        for thread in threads:
            thread.start()
            if not together:
                thread.join()
        for thread in threads:
            thread.join()


def _final(speaker: Speaker, way: str, extra: dict[str, object]) -> None:
    """Send a final that a cancel may have come before."""
    try:
        speaker.final(way, **extra)
    except Refused:
        return  # a cancel or the exit came first: which of them wins is not the question


@contextmanager
def watched(daemon: Daemon) -> Iterator[list[int]]:
    """Look at the tree all the time: how many live, at each sample."""
    samples: list[int] = []
    over = threading.Event()

    def look() -> None:
        with daemon.client() as client:
            while not over.is_set():
                tree = client.call("subsession.tree", {})
                live = sum(
                    "parentId" in r and r["state"] in ("claimed", "running") for r in tree["rows"]
                )
                stats = client.call("daemon.stats", {})
                if stats["seq"] == tree["seq"]:
                    assert stats["live"] == live
                samples.append(live)

    thread = threading.Thread(target=look)
    thread.start()
    try:
        yield samples
    finally:
        over.set()
        thread.join()


@pytest.mark.scenario("S19")
@pytest.mark.timeout(30 if ROUNDS < 50 else 600)
def test_the_ended_count_no_more_and_once() -> None:
    """Never more than four live, none after a round, and one terminal record for each node."""
    with scenario(CONFIG) as yard, Stream(yard.socket) as stream:
        other = yard.settled()
        stream.result("events.subscribe")
        nodes = []
        with watched(yard.daemon) as samples:
            for number in range(ROUNDS):
                nodes += play_round(yard, number, other)
                assert yard.call("daemon.stats")["live"] == 0
                stream.result("daemon.health")  # a reader that does not read is told nothing more
        assert samples
        assert max(samples) == CAP
        for node in nodes:
            assert len(stream.about("node.settled", node)) == 1
            assert len(stream.about("node.released", node)) == 1
            records = yard.call("subsession.journal", nodeId=node)["records"]
            assert [r["kind"] for r in records].count("settled") == 1


def play_round(yard: Yard, number: int, other: str) -> list[str]:
    """Start four, see a fifth refused, let all end."""
    ways = [WAYS[(number * CAP + i) % len(WAYS)] for i in range(CAP)]
    played = Round(yard, other)
    # Why last: a start that fails is over before a fifth can be tried.
    ways.sort(key=lambda way: way == "no-start")
    for way in ways:
        played.begin(way)
    if "no-start" not in ways:
        full = refusal_of(yard.spawn, argv=["true"])
        assert (full.code, full.limit, full.actual) == ("CONCURRENCY_EXCEEDED", CAP, CAP)
    for node, way in zip(played.nodes, ways, strict=True):
        played.end(node, way, together=bool(number % 2))
    if "swept" in ways:  # a succession begins with a sweep
        refusal_of(yard.call, "subsession.succeed", childId=played.nodes[0], role="nobody")
    for node in played.nodes:
        yard.wait(node, "released")
    return played.nodes
