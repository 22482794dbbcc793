"""A daemon killed while mail is handed over: none of it is lost, and none comes twice as new."""

import json
import os
import random
import threading
import time
from contextlib import suppress
from typing import Any, Final

import pytest

from subsession.client import Client
from subsession.errors import SubsessionError
from tests.support.brood import (
    CHILDREN,
    Shown,
    brood,
    done,
    lead,
    shown,
    spawning,
    tables,
    waiting,
)
from tests.support.closing import check_closing
from tests.support.daemon import Daemon
from tests.support.hire import wait_for

KILLS: Final = 50 if os.environ.get("SCENARIO_CYCLES") == "full" else 6
LONGEST_S: Final = 1.2
"""From the parent's start to the kill: spawns, finals and several wakes of it fall into it."""

PAUSE_MS: Final = 400
"""The longest that a child takes."""


@pytest.mark.scenario("S01")
@pytest.mark.timeout(90)  # two starts of a daemon, and of two agents, on a busy machine
@pytest.mark.parametrize("kill", range(KILLS))
def test_a_parents_mail_outlives_the_daemon(kill: int, dice: random.Random) -> None:
    """What it was not seen to read goes to its successor, in order; marked if it was shown."""
    with Daemon(config=tables()) as daemon:
        spawns = [spawning({"pauseMs": dice.randrange(PAUSE_MS)}, done(n)) for n in range(CHILDREN)]
        keeper = spawning({"awaitPrompt": True})
        waits = [{"wait_file": f"go-{n}"} for n in range(3)]
        node = lead(daemon, daemon.open(), [keeper, *spawns], *([wait] for wait in waits))
        gates = threading.Thread(target=open_gates, args=(daemon, dice.random() * 0.3))
        gates.start()
        time.sleep(dice.uniform(0.05, LONGEST_S))
        daemon.kill()
        gates.join()
        daemon.start()
        assert wait_for(daemon, node, "released")["reason"] == "daemon-restart"
        before = shown(daemon, node)
        left = waiting(daemon, node)
        heir = succeed(daemon, node)
        assert wait_for(daemon, heir, "released")["outcome"] == "completed"
        (after,) = shown(daemon, heir)
        assert after == [Shown(m["senderSessionId"], m["again"]) for m in left]
        assert waiting(daemon, heir) == []
        check_each(brood(daemon, node), [*before, after])
        check_closing(daemon)


def open_gates(daemon: Daemon, apart_s: float) -> None:
    """End the turns of the parent one after another."""
    for n in range(3):
        time.sleep(apart_s)
        (daemon.workspace / f"go-{n}").touch()


def succeed(daemon: Daemon, node: str) -> str:
    """Hire a successor that reads its mail and then reports."""
    report = {"stage": "final", "outcome": "completed", "output": "All done."}
    mission = f"Go on. SCRIPT{json.dumps([[], [{'report': report}]])}"
    return str(daemon.call("subsession.succeed", childId=node, mission=mission)["nodeId"])


def check_each(children: list[str], pages: list[list[Shown]]) -> None:
    """See that every child's one message was shown, and as new only the first time."""
    assert children
    seen: set[str] = set()
    for message in (message for page in pages for message in page):
        assert message.child not in seen or message.again, message
        seen.add(message.child)
    assert seen == set(children)


@pytest.mark.scenario("S01")
@pytest.mark.timeout(90)
@pytest.mark.parametrize("kill", range(KILLS))
def test_a_roots_mail_outlives_the_daemon(kill: int, dice: random.Random) -> None:
    """A root that reads and acknowledges while the daemon dies has it all after its next start."""
    with Daemon(config=tables()) as daemon:
        opened = daemon.call("subsession.open", workspace=str(daemon.workspace))
        reader = Reader(daemon, str(opened["token"]))
        for n in range(CHILDREN):
            steps = [{"pauseMs": dice.randrange(PAUSE_MS)}, done(n)]
            brief = {"mission": json.dumps({"steps": steps}), "tokenCap": 20_000}
            daemon.call("subsession.spawn", parentId=opened["nodeId"], role="script", brief=brief)
        with reader:
            time.sleep(dice.uniform(0.0, PAUSE_MS / 1_000))
            daemon.kill()
        daemon.start()
        for child in brood(daemon, str(opened["nodeId"])):
            wait_for(daemon, child, "released")
        reader.read(wait_ms=0)
        check_each(brood(daemon, str(opened["nodeId"])), [reader.pages])
        check_closing(daemon)


class Reader(threading.Thread):
    """Reads a root's mail, page by page, until the daemon is gone."""

    def __init__(self, daemon: Daemon, token: str) -> None:
        super().__init__()
        self.pages: list[Shown] = []
        self._daemon = daemon
        self._token = token

    def __enter__(self) -> None:
        self.start()

    def __exit__(self, *_: object) -> None:
        self.join(20)
        assert not self.is_alive()

    def run(self) -> None:
        """Read until nobody answers."""
        with suppress(SubsessionError, OSError):
            while True:
                self.read(wait_ms=5_000)

    def read(self, wait_ms: int) -> None:
        """Read and acknowledge until there is nothing more."""
        with Client(self._daemon.socket, token=self._token) as root:
            asked: dict[str, Any] = {"waitMs": wait_ms}
            while messages := root.call("subsession.inbox", asked)["messages"]:
                self.pages += [Shown(m["senderSessionId"], m["again"]) for m in messages]
                asked = {"acknowledge": [m["messageId"] for m in messages]}
