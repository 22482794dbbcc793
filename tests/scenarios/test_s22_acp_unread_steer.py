"""S22 for ACP agents: accepted is not read, and what nobody read comes back."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from subsession.client import Client
from subsession.errors import Refused
from tests.support.acting import FINAL, act, config, heard, prompts
from tests.support.closing import check_closing
from tests.support.daemon import Daemon
from tests.support.hire import wait_file, wait_for

BEGUN = {"shell": ["sh", "-c", "echo 1 >begun"]}
TOOL = {"update": {"sessionUpdate": "tool_call", "toolCallId": "1", "status": "in_progress"}}


@contextmanager
def opened(daemon: Daemon) -> Iterator[tuple[str, Client]]:
    """Open a root, and speak as it."""
    answer = daemon.call("subsession.open", workspace=str(daemon.workspace))
    with Client(daemon.socket, token=answer["token"]) as client:
        yield answer["nodeId"], client


def steer(daemon: Daemon, node: str, text: str) -> str:
    """Say something to a child; gives the name of the message."""
    said: dict[str, Any] = daemon.call("subsession.steer", nodeId=node, text=text)
    assert "not read yet" in said["text"]
    return str(said["messageId"])


@pytest.mark.scenario("S22")
def test_what_is_said_in_a_long_call_is_read_at_the_next_step() -> None:
    """In order, each once, the same words twice are two messages, and never into the turn."""
    with Daemon(config=config(actor={})) as daemon:
        root = daemon.open()
        node = act(daemon, root, [TOOL, BEGUN, {"wait_file": "go"}], [], [], [FINAL])
        wait_file(daemon.workspace / "begun")
        names = [steer(daemon, node, text) for text in ("look left", "look right", "look right")]
        assert len(set(names)) == 3
        assert len(prompts(daemon, node)) == 1
        (daemon.workspace / "go").touch()
        assert wait_for(daemon, node, "released")["outcome"] == "completed"
        said = [text.rpartition("\n")[2] for text in prompts(daemon, node)[1:]]
        assert said == ["look left", "look right", "look right"]
        assert not [entry for entry in heard(daemon, node) if "second" in entry]
        check_closing(daemon)


@pytest.mark.scenario("S22")
def test_an_agent_that_merges_reads_it_in_its_turn() -> None:
    """Where the profile knows it, the words go into the running turn."""
    with Daemon(config=config(actor={"profile": "merges_prompts = true"})) as daemon:
        node = act(daemon, daemon.open(), [BEGUN, {"until_second": 1}, FINAL])
        wait_file(daemon.workspace / "begun")
        steer(daemon, node, "look left")
        assert wait_for(daemon, node, "released")["outcome"] == "completed"
        (second,) = [entry["second"] for entry in heard(daemon, node) if "second" in entry]
        assert second.endswith("look left")
        check_closing(daemon)


@pytest.mark.scenario("S22")
def test_a_call_of_our_tools_brings_it_along_and_it_is_not_said_again() -> None:
    """What rode on a tool's answer is read: no prompt, and no notice to its sender."""
    progress = {"report": {"stage": "progress", "output": "half"}}
    with Daemon(config=config(actor={})) as daemon, opened(daemon) as (root, parent):
        node = act(daemon, root, [BEGUN, {"wait_file": "go"}, progress], [FINAL])
        wait_file(daemon.workspace / "begun")
        name = steer(daemon, node, "look left")
        (daemon.workspace / "go").touch()
        assert wait_for(daemon, node, "released")["outcome"] == "completed"
        said = [str(entry["said"]) for entry in heard(daemon, node) if "said" in entry]
        assert "look left" in said[0]
        assert not [text for text in prompts(daemon, node) if "look left" in text]
        texts = [m["text"] for m in parent.call("subsession.inbox", {})["messages"]]
        assert not [text for text in texts if name in text]
        check_closing(daemon)


@pytest.mark.scenario("S22")
def test_what_was_not_read_before_the_process_was_gone_comes_back() -> None:
    """The sender hears that this message was not read, and it was written nowhere."""
    with Daemon(config=config(actor={})) as daemon, opened(daemon) as (root, parent):
        node = act(daemon, root, [BEGUN, {"wait_file": "go"}, {"kill": 9}])
        wait_file(daemon.workspace / "begun")
        said = parent.call("subsession.steer", {"nodeId": node, "text": "look left"})
        (daemon.workspace / "go").touch()
        wait_for(daemon, node, "released")
        texts = [m["text"] for m in parent.call("subsession.inbox", {})["messages"]]
        assert [text for text in texts if said["messageId"] in text and "before it read" in text]
        assert "look left" not in str(heard(daemon, node))
        check_closing(daemon)


@pytest.mark.scenario("S22")
def test_who_sends_its_final_first_reads_it_with_the_answer_or_not_at_all() -> None:
    """The final settles the child: what did not ride on that call's answer comes back."""
    with Daemon(config=config(actor={})) as daemon, opened(daemon) as (root, parent):
        node = act(daemon, root, [BEGUN, {"wait_file": "go"}, FINAL])
        wait_file(daemon.workspace / "begun")
        said = parent.call("subsession.steer", {"nodeId": node, "text": "look left"})
        (daemon.workspace / "go").touch()
        assert wait_for(daemon, node, "released")["outcome"] == "completed"
        texts = [m["text"] for m in parent.call("subsession.inbox", {})["messages"]]
        unread = [t for t in texts if said["messageId"] in t and "before it read" in t]
        assert bool(unread) is not ("look left" in str(heard(daemon, node)))
        check_closing(daemon)


@pytest.mark.scenario("S22")
def test_who_cannot_be_told_is_an_error() -> None:
    """A settled child, another parent's child, and words beyond the limit."""
    with (
        Daemon(config=config(actor={})) as daemon,
        opened(daemon) as (root, parent),
        opened(daemon) as (_, stranger),
    ):
        gone = act(daemon, root, [FINAL])
        wait_for(daemon, gone, "released")
        node = act(daemon, root, [{"until_cancel": 1}])
        for client, target, text, code in (
            (parent, gone, "x", "NODE_NOT_LIVE"),
            (stranger, node, "x", "NOT_FOUND"),
            (parent, node, "x" * 6_001, "MESSAGE_TOO_LARGE"),
        ):
            with pytest.raises(Refused) as refused:
                client.call("subsession.steer", {"nodeId": target, "text": text})
            assert refused.value.refusal.code == code
        assert len(prompts(daemon, node)) == 1
        check_closing(daemon)
