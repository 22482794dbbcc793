"""S22 for Claude Code: accepted is not read, and what nobody read comes back."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from subsession.client import Client
from tests.support.acting import FINAL, act, config, heard
from tests.support.closing import check_closing
from tests.support.daemon import Daemon
from tests.support.hire import wait_file, wait_for

BEGUN = {"shell": ["sh", "-c", "echo 1 >begun"]}


@contextmanager
def opened(daemon: Daemon) -> Iterator[tuple[str, Client]]:
    """Open a root, and speak as it."""
    answer = daemon.call("subsession.open", workspace=str(daemon.workspace))
    with Client(daemon.socket, token=answer["token"]) as client:
        yield answer["nodeId"], client


def steer(parent: Client, node: str, text: str) -> str:
    """Say something to a child; gives the name of the message."""
    said: dict[str, Any] = parent.call("subsession.steer", {"nodeId": node, "text": text})
    assert "not read yet" in said["text"]
    return str(said["messageId"])


def told(daemon: Daemon, node: str) -> list[str]:
    """Give all that was said to its model, in order."""
    got = [entry["got"] for entry in heard(daemon, node) if isinstance(entry.get("got"), dict)]
    said = [frame["message"]["content"] for frame in got if frame["type"] == "user"]
    return [text.rpartition("\n")[2] for text in said]


@pytest.mark.scenario("S22")
def test_what_is_said_in_a_turn_goes_into_it_in_order() -> None:
    """Each once, the same words twice are two messages; no notice says that they were unread."""
    second = {"until_second": 1}
    with (
        Daemon(config=config(actor={"runner": "claude"})) as daemon,
        opened(daemon) as (root, parent),
    ):
        node = act(daemon, root, [BEGUN, second, second, second, FINAL])
        wait_file(daemon.workspace / "begun")
        names = [steer(parent, node, text) for text in ("look left", "look right", "look right")]
        assert len(set(names)) == 3
        assert wait_for(daemon, node, "released")["outcome"] == "completed"
        assert told(daemon, node)[1:] == ["look left", "look right", "look right"]
        texts = [m["text"] for m in parent.call("subsession.inbox", {})["messages"]]
        assert not [text for text in texts if "before it read" in text]
        check_closing(daemon)


@pytest.mark.scenario("S22")
def test_what_comes_at_the_last_step_begins_a_turn() -> None:
    """The agent begins it by itself: it is not asked for its final in between, nor told twice."""
    with (
        Daemon(config=config(actor={"runner": "claude"})) as daemon,
        opened(daemon) as (root, parent),
    ):
        node = act(daemon, root, [BEGUN, {"wait_file": "go"}], [FINAL])
        wait_file(daemon.workspace / "begun")
        steer(parent, node, "look left")
        (daemon.workspace / "go").touch()
        assert wait_for(daemon, node, "released")["outcome"] == "completed"
        assert told(daemon, node)[1:] == ["look left"]
        check_closing(daemon)


@pytest.mark.scenario("S22")
@pytest.mark.parametrize("end", [{"kill": 9}, {"result": {"is_error": True}}])
def test_what_its_model_was_never_shown_comes_back(end: dict[str, Any]) -> None:
    """It was written to the agent, and is unread all the same: the sender hears so."""
    with (
        Daemon(config=config(actor={"runner": "claude"})) as daemon,
        opened(daemon) as (root, parent),
    ):
        node = act(daemon, root, [BEGUN, {"wait_file": "go"}, end])
        wait_file(daemon.workspace / "begun")
        name = steer(parent, node, "look left")
        parent.call("subsession.node", {"nodeId": node})
        (daemon.workspace / "go").touch()
        wait_for(daemon, node, "released")
        texts = [m["text"] for m in parent.call("subsession.inbox", {})["messages"]]
        assert [text for text in texts if name in text and "before it read" in text]
        check_closing(daemon)
