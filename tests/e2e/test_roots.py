"""Roots through real processes: agents come and go, two of them meet, and none is the person."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from subsession.errors import Misused, Refused
from tests.support.bridged import Bridged
from tests.support.daemon import Daemon
from tests.support.hire import CONFIG, StandIn, hire, wait_for

PERSONS = "daemon.stats"
"""A call that only the person makes."""


@pytest.fixture(scope="module")
def daemon() -> Iterator[Daemon]:
    """Give a daemon for many roots."""
    with Daemon(config=CONFIG) as made:
        yield made


def mail_of(agent: Bridged, **params: Any) -> list[str]:
    """Give the second lines of what waits for an agent's root."""
    messages = agent.call("subsession.inbox", **params)["messages"]
    return [message["text"].splitlines()[1] for message in messages]


def test_an_agent_comes_back_to_its_root_and_its_mail() -> None:
    """The agent dies with its bridge, its child works on, the daemon is killed, nothing is lost."""
    with Daemon(config=CONFIG) as daemon:
        with Bridged(daemon) as agent:
            root = agent.open(daemon)["nodeId"]
            child = StandIn.hire(daemon, root)
        with child:
            child.report("one bug", stage="finding")
            assert daemon.rows()[child.node_id]["state"] == "running"
            with Bridged(daemon) as agent:
                back = agent.open(daemon, resume=root)
                assert (back["nodeId"], back["resumed"]) == (root, True)
                assert mail_of(agent) == ["one bug"]
                child.report("two bugs", stage="final", outcome="completed")
                wait_for(daemon, child.node_id)
                daemon.kill()
                daemon.start()
                assert "two bugs" in mail_of(agent, fresh=True)
                assert agent.refusal(PERSONS)["code"] == "NOT_ALLOWED"
        assert daemon.rows()[root]["state"] == "running"


def test_an_agent_that_names_no_root_begins_a_new_one(daemon: Daemon) -> None:
    """Another agent on the same folder is another root, until it says which it continues."""
    with Bridged(daemon) as first, Bridged(daemon) as second:
        one, two = first.open(daemon), second.open(daemon)
        assert one["nodeId"] != two["nodeId"]
        assert not two["resumed"]


def test_two_bridges_of_one_agent_are_one_root(daemon: Daemon) -> None:
    """Whichever opens first; both speak as it, and the other one still does when one is killed."""
    with Bridged(daemon, bridges=2) as agent:
        one = agent.open(daemon)
        two = agent.open(daemon, 1)
        assert (two["nodeId"], two["resumed"]) == (one["nodeId"], True)
        child = hire(daemon, one["nodeId"], "true")
        for bridge in (0, 1):
            rows = agent.call("subsession.tree", bridge)["rows"]
            assert [row["nodeId"] for row in rows] == [child]
        os.kill(agent.bridge_pid(), 9)
        assert agent.open(daemon, 1)["nodeId"] == one["nodeId"]


def test_a_root_that_another_agent_takes_is_both_of_theirs() -> None:
    """Neither is the person afterwards, in this life of the daemon nor in the next."""
    with Daemon(config=CONFIG) as daemon, Bridged(daemon) as first, Bridged(daemon) as second:
        root = first.open(daemon)["nodeId"]
        assert second.open(daemon, resume=root)["resumed"]
        for _ in range(2):
            for agent in (first, second):
                assert agent.refusal(PERSONS, fresh=True)["code"] == "NOT_ALLOWED"
                assert agent.open(daemon)["nodeId"] == root
            daemon.kill()
            daemon.start()


@pytest.mark.parametrize(
    "launcher",
    [
        (),
        ("sh", "-c", '"$@"; true', "sh"),
        ("env", "-i"),
        ("timeout", "600"),
        ("sh", "-c", 'timeout 600 env "$@"; true', "sh"),
    ],
    ids=["none", "shell", "env", "timeout", "all"],
)
def test_the_agent_is_the_root_past_what_started_its_bridge(
    daemon: Daemon, launcher: tuple[str, ...]
) -> None:
    """A second bridge below the same agent is the same root, so that the agent itself is it."""
    with Bridged(daemon, *launcher, bridges=2) as agent:
        one, two = agent.open(daemon), agent.open(daemon, 1)
        assert one["nodeId"] == two["nodeId"]
        shown = daemon.call("subsession.node", nodeId=one["nodeId"])
        assert shown["identity"]["pid"] == agent.process.pid


def test_npx_is_passed_as_it_shows_itself(daemon: Daemon) -> None:
    """It writes over its command line; the agent above it is found all the same."""
    found = subprocess.run(["npx", "--version"], capture_output=True, check=False)
    if found.returncode:
        pytest.skip("npx is not installed")
    words = f"{sys.executable} {daemon.folder}/subsession mcp {daemon.socket}; true"
    line = f"exec npx --offline -c '{words}'"  # it takes no more words behind these
    with Bridged(daemon, "sh", "-c", line, "sh") as agent:
        root = agent.open(daemon)["nodeId"]
        shown = daemon.call("subsession.node", nodeId=root)
        assert shown["identity"]["pid"] == agent.process.pid


def test_a_bridge_that_outlives_its_agent_stays_the_root(daemon: Daemon) -> None:
    """On its connection and on every new one, with a root named or not; no other agent is there."""
    with Bridged(daemon) as agent:
        root = agent.open(daemon)["nodeId"]
        agent.end_agent()
        assert agent.open(daemon)["nodeId"] == root
        assert agent.refusal(PERSONS)["code"] == "NOT_ALLOWED"
        for named in ({}, {"resume": root}):
            assert agent.refusal(PERSONS, fresh=True)["code"] == "NOT_ALLOWED"
            back = agent.open(daemon, fresh=True, **named)
            assert (back["nodeId"], back["resumed"]) == (root, True)


def test_the_closing_of_a_root_ends_its_children_and_not_its_agent(daemon: Daemon) -> None:
    """The agent lives on, is told that its root was closed, and is still no person."""
    with Bridged(daemon) as agent:
        root = agent.open(daemon)["nodeId"]
        child = hire(daemon, root, "sleep", "600")
        daemon.call("subsession.close", nodeId=root)
        assert wait_for(daemon, child, "released")["reason"] == "root-closed"
        assert wait_for(daemon, root, "released")["reason"] == "closed"
        assert agent.process.poll() is None
        for named in ({}, {"resume": root}):
            told = agent.say("subsession.open", workspace=str(daemon.workspace), **named)["error"]
            assert told["data"]["code"] == "NOT_ALLOWED"
            assert "this agent's root was closed" in told["message"]
        assert agent.refusal(PERSONS)["code"] == "NOT_ALLOWED"


def test_who_gets_the_number_of_a_dead_agent_is_a_stranger(daemon: Daemon) -> None:
    """The kernel gives a number again; whoever has it then is not the root."""
    last = Path("/proc/sys/kernel/ns_last_pid")
    if not os.access(last, os.W_OK):
        pytest.skip("this user cannot choose the number of a process")
    with Bridged(daemon) as agent:
        root = agent.open(daemon)["nodeId"]
        pid = agent.process.pid
    for _ in range(200):
        last.write_text(str(pid - 1))
        with Bridged(daemon) as other:
            if other.process.pid == pid:
                assert other.open(daemon)["nodeId"] != root
                return
    pytest.skip("others took the number every time")


def test_a_folder_whose_name_cannot_be_written_down_ends_no_daemon(daemon: Daemon) -> None:
    """It may be reached by a link of any name; it is refused, and everybody goes on."""
    for number, name in enumerate((b"\xff\xfe", b"a\nb")):
        real = os.fsencode(daemon.folder) + b"/" + name
        os.mkdir(real)
        link = daemon.folder / f"link{number}"
        link.symlink_to(os.fsdecode(real))
        with pytest.raises(Misused, match="cannot be opened"):
            daemon.call("subsession.open", workspace=str(link))
    assert daemon.open()


@pytest.mark.parametrize("name", ["a b  c", "'\"$x", "*[b]{c}", "e\u0301", "-n", "#"])
def test_a_folder_of_any_other_name_is_a_workspace(daemon: Daemon, name: str) -> None:
    """Children work in it, their journals lie in it, and their claims are their own."""
    folder = daemon.folder / name
    folder.mkdir()
    link = daemon.folder / f"to {name}"
    link.symlink_to(folder)
    opened = daemon.call("subsession.open", workspace=str(link))
    assert opened["workspace"] == str(folder)
    child = hire(
        daemon,
        opened["nodeId"],
        "sh",
        "-c",
        "pwd -P >told",
        role="hand",
        brief={"ownedGlobs": ["*"]},
    )
    assert wait_for(daemon, child, "released")["outcome"] == "completed"
    assert (folder / "told").read_text().rstrip("\n") == str(folder)
    assert daemon.call("subsession.journal", nodeId=child)["records"]
    assert (folder / ".subsession/journals" / f"{child}.journal.jsonl").exists()


def test_claims_meet_on_a_repository_and_a_folder_in_it(daemon: Daemon) -> None:
    """Two roots, one file under two names: the second child is told who holds it, and where."""
    package = daemon.workspace / "pkg"
    package.mkdir()
    outer, inner = daemon.open(), daemon.open(workspace=str(package))
    twin = daemon.open()
    writer = hire(daemon, inner, "sleep", "600", role="hand", brief={"ownedGlobs": ["src/*.py"]})
    with pytest.raises(Refused) as caught:
        hire(daemon, outer, "true", role="hand", brief={"ownedGlobs": ["./pkg/**/a.py"]})
    refusal = caught.value.refusal
    assert (refusal.code, refusal.sibling) == ("SCOPE_OVERLAP", writer)
    assert refusal.paths == ("./pkg/**/a.py", f"{package}/src/*.py", "pkg/src/a.py")
    reader = hire(daemon, outer, "sleep", "600", role="hand", brief={"ownedGlobs": ["docs/"]})
    with pytest.raises(Refused) as caught:
        hire(daemon, twin, "true", role="hand", brief={"ownedGlobs": [f"{daemon.workspace}/docs"]})
    assert caught.value.refusal.sibling == reader
    for node in (writer, reader):
        daemon.call("subsession.cancel", nodeId=node)
    assert hire(daemon, outer, "true", role="hand", brief={"ownedGlobs": ["pkg", "docs"]})
