"""Forged and stolen tokens on the pipe that agents' tools come by: who speaks is who it is."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.agents import forger
from tests.support.daemon import Daemon
from tests.support.escapes import KINDS, config
from tests.support.hire import StandIn, hire, wait_file, wait_for

MADE_UP = "x" * 43


@pytest.fixture(scope="module")
def daemon() -> Iterator[Daemon]:
    """Give a daemon for many attacks."""
    with Daemon(config=config("strongest")) as made:
        yield made


def code_of(answer: Any) -> str:
    """Name the refusal in an answer, which is a tool's result or an error."""
    said = answer["error"]["data"] if "error" in answer else answer["result"]["structuredContent"]
    return str(said["code"])


def text_of(answer: Any) -> str:
    """Give what a tool said."""
    return str(answer["result"]["content"][0]["text"])


@pytest.mark.parametrize("kind", KINDS)
def test_a_child_speaks_as_itself_whatever_token_it_shows(kind: str) -> None:
    """A token that is nobody's any more, or never was, changes nothing; another's is refused."""
    with Daemon(config=config(kind)) as daemon:
        opened = daemon.call("subsession.open", workspace=str(daemon.workspace))
        with StandIn.hire(daemon, opened["nodeId"]) as gone:
            gone.report("done", stage="final", outcome="completed")
            wait_for(daemon, gone.node_id, "released")
        with StandIn.hire(daemon, opened["nodeId"]) as victim:
            used, live = (
                (daemon.workspace / f".token-{node}").read_text()
                for node in (gone.node_id, victim.node_id)
            )
            program = f"{sys.executable} -I -S {Path(forger.__file__)} {daemon.socket} out"
            line = f"{program} {MADE_UP} {used} {live} {opened['token']}; sleep 600"
            child = hire(daemon, opened["nodeId"], "sh", "-c", line)
            made_up, old, stolen, parents = json.loads(wait_file(daemon.workspace / "out"))
            assert f"as message {child}.1" in text_of(made_up)
            assert f"as message {child}.2" in text_of(old)
            assert code_of(stolen) == code_of(parents) == "NOT_ALLOWED"
            assert daemon.rows()[victim.node_id].get("reports", 0) == 0


def test_who_belongs_to_nobody_is_not_taken_for_somebody(daemon: Daemon) -> None:
    """A token that was made up, is used up, or is none: each is refused, on every line."""
    root = daemon.open()
    with StandIn.hire(daemon, root) as child:
        token = (daemon.workspace / f".token-{child.node_id}").read_text()
        child.report("done", stage="final", outcome="completed")
        wait_for(daemon, child.node_id, "released")
    for shown in (MADE_UP, token, token.upper(), token[:-1], "", f"{token} {token}", child.node_id):
        answer = forger.forge(str(daemon.socket), shown)
        assert code_of(answer) == "NOT_ALLOWED", shown
    mail = daemon.call("subsession.inbox", nodeId=root)["messages"]
    assert not any("forged" in message["text"] for message in mail)


def test_a_second_request_inside_of_a_pipe_is_a_line_of_it(daemon: Daemon) -> None:
    """Nothing that comes on a pipe is read as another call, with other headers."""
    inner = b"POST /rpc HTTP/1.1\r\nAuthorization: Bearer x\r\n\r\n"
    answer = forger.forge(str(daemon.socket), MADE_UP, inner)
    assert "error" in answer
    assert "result" not in answer
