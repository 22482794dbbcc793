"""Mail of an ACP agent that is a parent: all of it, in order, once, and bounded."""

import json
from typing import Any

from subsessiond.core.bounds import bytes_of_tokens
from tests.support.acting import FINAL, prompts
from tests.support.brood import (
    CHILDREN,
    brood,
    done,
    lead,
    shown,
    spawning,
    tables,
    wait_brood,
    waiting,
)
from tests.support.closing import check_closing, within
from tests.support.daemon import Daemon
from tests.support.hire import wait_for

WAKE_BYTES = bytes_of_tokens(8_000)


def states(daemon: Daemon, messages: list[dict[str, Any]]) -> set[str]:
    """Give the states in which messages are."""
    ids = [message["messageId"] for message in messages]
    return {daemon.call("subsession.receipt", messageId=name)["state"] for name in ids}


def test_twelve_that_end_within_one_step_are_one_wake() -> None:
    """Their parent is prompted once, with all twelve messages, in order, each as it was framed."""
    with Daemon(config=tables()) as daemon:
        root = daemon.open()
        spawns = [spawning(done(n)) for n in range(CHILDREN)]
        turns: list[list[Any]] = [[*spawns, {"wait_file": "go"}], [{"wait_file": "read"}, FINAL]]
        node = lead(daemon, root, *turns)
        wait_brood(daemon, node)
        mail = waiting(daemon, node)
        said = sorted(m["text"].splitlines()[1] for m in mail)
        assert said == [f"Child {n:02d} is done." for n in range(CHILDREN)]
        assert [m["seq"] for m in mail] == sorted(m["seq"] for m in mail)
        assert len({m["messageId"] for m in mail}) == CHILDREN
        assert states(daemon, mail) == {"staged"}
        assert len(prompts(daemon, node)) == 1
        (daemon.workspace / "go").touch()
        within(lambda: len(prompts(daemon, node)) < 2, "no second prompt")
        assert prompts(daemon, node)[1] == "\n\n".join(m["text"] for m in mail)
        assert states(daemon, mail) == {"delivered"}
        (daemon.workspace / "read").touch()
        assert wait_for(daemon, node, "released")["outcome"] == "completed"
        assert len(prompts(daemon, node)) == 2
        assert states(daemon, mail) == {"acknowledged"}
        assert waiting(daemon, node) == []
        check_closing(daemon)


def test_more_than_fits_comes_with_the_next_turns() -> None:
    """Each prompt is bounded and says how many are left; nobody has to ask for them."""
    with Daemon(config=tables()) as daemon:
        root = daemon.open()
        spawns = [spawning(done(n, " x" * 2_425), report_tokens=2_000) for n in range(6)]
        node = lead(daemon, root, [*spawns, {"wait_file": "go"}], [], [FINAL])
        children = wait_brood(daemon, node, 6)
        (daemon.workspace / "go").touch()
        assert wait_for(daemon, node, "released")["outcome"] == "completed"
        pages = shown(daemon, node)
        assert [len(page) for page in pages] == [4, 2]
        assert sorted(m.child for page in pages for m in page) == sorted(children)
        assert not any(m.again for page in pages for m in page)
        first, second = prompts(daemon, node)[1:]
        assert first.endswith("\n\n2 more: they come when this turn is over.")
        assert "more:" not in second
        assert max(map(len, (first, second))) <= WAKE_BYTES
        check_closing(daemon)


def test_mail_of_a_turn_that_died_is_shown_again_to_the_successor() -> None:
    """Nobody knows whether it was read; what came later is new."""
    with Daemon(config=tables()) as daemon:
        root = daemon.open()
        late = spawning({"awaitPrompt": True})
        turns: list[list[Any]] = [[spawning(done(0)), late], [{"wait_file": "die"}, {"kill": 9}]]
        node = lead(daemon, root, *turns)
        within(lambda: len(prompts(daemon, node)) < 2, "no mail")
        first, second = brood(daemon, node)
        (daemon.workspace / "die").touch()
        assert wait_for(daemon, node, "released")["reason"] == "killed-by-signal"
        mail = waiting(daemon, node)
        assert [(m["senderSessionId"], m["again"]) for m in mail] == [
            (first, True),
            (second, False),
        ]
        assert daemon.call("subsession.node", nodeId=node)["unread"] == 2
        heir = succeed(daemon, node, [], [FINAL])
        assert wait_for(daemon, heir, "released")["outcome"] == "completed"
        (page,) = shown(daemon, heir)
        assert page == [(first, True), (second, False)]
        assert waiting(daemon, node) == []
        check_closing(daemon)


def test_mail_of_a_parent_that_nobody_succeeds_stays_for_the_operator() -> None:
    """It stands in her queue until she puts it aside, whatever ends; looking moves nothing."""
    with Daemon(config=tables()) as daemon:
        node = lead(daemon, daemon.open(), [spawning(done(0)), {"wait_file": "die"}, {"kill": 9}])
        wait_brood(daemon, node, 1)
        (daemon.workspace / "die").touch()
        wait_for(daemon, node, "released")
        for _ in range(2):
            (message,) = waiting(daemon, node)
            assert "Child 00 is done." in message["text"]
            assert not message["again"]
            assert daemon.call("subsession.node", nodeId=node)["unread"] == 1
        assert queue(daemon) == [(node, "mail", 1)]
        assert daemon.rows()[node]["unread"] == 1
        daemon.kill()
        daemon.start()
        assert queue(daemon) == [(node, "mail", 1)]
        daemon.call("subsession.dismiss", nodeId=node)
        assert queue(daemon) == []
        check_closing(daemon)
        assert daemon.call("subsession.node", nodeId=node)["unread"] == 1


def queue(daemon: Daemon) -> list[tuple[str, str, int]]:
    """Give what waits for the person: who, why, and how much of its mail is unread."""
    rows = daemon.call("subsession.blocked")["rows"]
    return [(row["nodeId"], row["category"], row.get("unread", 0)) for row in rows]


def succeed(daemon: Daemon, node: str, *turns: list[Any]) -> str:
    """Hire a successor whose agent plays these turns."""
    mission = f"Go on. SCRIPT{json.dumps(turns)}"
    answer = daemon.call("subsession.succeed", childId=node, mission=mission)
    return str(answer["nodeId"])
