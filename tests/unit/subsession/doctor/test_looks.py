"""`subsession.doctor.looks`."""

import subprocess
from pathlib import Path
from typing import Any

import pytest

from subsession.doctor import looks
from subsession.doctor.findings import State

INFO: dict[str, Any] = {
    "version": "1",
    "pid": 7,
    "socket": "/run/d.sock",
    "stateDir": "/state",
    "configDir": "/config",
    "containers": "cgroup",
}


def test_a_daemon_of_another_version_is_named_with_the_way_out() -> None:
    """The same version is well; another one wants a new start."""
    same = list(looks.look_at_daemon(INFO, started=False, client_version="1"))
    assert {one.state for one in same} == {State.GOOD}
    first = next(iter(looks.look_at_daemon(INFO, started=True, client_version="2")))
    assert (first.state, first.next) == (State.NOTE, "subsession down && subsession up")
    assert "started just now" in first.said


def test_own_configuration_is_told_from_what_is_shipped(tmp_path: Path) -> None:
    """Which files there are."""
    assert "all as shipped" in looks.look_at_configuration(str(tmp_path)).said
    (tmp_path / "agents.toml").touch()
    assert looks.look_at_configuration(str(tmp_path)).said.endswith(": agents.toml")


@pytest.mark.parametrize(("kind", "state"), [("pidns", State.GOOD), ("descent", State.NOTE)])
def test_the_weakest_container_is_a_note(kind: str, state: State) -> None:
    """It works, and a better one could be had."""
    assert looks.look_at_containers({"containers": kind}).state is state


def test_roles_without_an_agent_come_with_the_line_to_write() -> None:
    """Those with one can be hired at once."""
    roles = [
        {"name": "check", "tier": "command", "agent": "command"},
        {"name": "worker", "tier": "worker", "agent": ""},
    ]
    ready, bare = looks.look_at_roles(roles, "/config")
    assert (ready.state, bare.state) == (State.GOOD, State.NOTE)
    assert 'worker = "claude"' in bare.next
    assert "/config/agents.toml" in bare.next


def test_who_has_no_file_of_agents_begins_with_a_copy_of_the_shipped(tmp_path: Path) -> None:
    """One that held the new line alone would be refused: it knows no agents."""
    bare = [{"name": "worker", "tier": "worker", "agent": ""}]
    (told,) = looks.look_at_roles(bare, str(tmp_path))
    copy, _, _ = told.next.partition("; in it")
    subprocess.run(["sh", "-c", copy], check=True)
    assert "[tiers]" in (tmp_path / "agents.toml").read_text()
    (told,) = looks.look_at_roles(bare, str(tmp_path))
    assert told.next.startswith("in ")


def test_an_agent_that_serves_and_is_not_there_is_broken() -> None:
    """One that serves nobody is only named, and one that is there tells its version."""
    agents = [
        {"name": "a", "tiers": ["worker"], "problem": "there is no program 'a'"},
        {"name": "b", "tiers": [], "problem": "there is no program 'b'"},
        {"name": "c", "tiers": [], "program": "/bin/c"},
        {"name": "command", "tiers": ["command"]},
    ]
    gone, here, away = looks.look_at_agents(agents, {"/bin/c": "3.1"}.__getitem__)
    assert (gone.what, gone.state) == ("a", State.BAD)
    assert "the tier worker" in gone.next
    assert (here.what, here.said) == ("c", "3.1, /bin/c")
    assert (away.state, away.said) == (State.NOTE, "b: known, and not installed or not set up")


def test_a_person_is_told_whether_she_may_grant() -> None:
    """At a terminal of her own; elsewhere with why not."""
    own = looks.look_at_caller({"kind": "operator", "mayGrant": True, "why": "x"})
    assert own.state is State.GOOD
    script = looks.look_at_caller({"kind": "operator", "mayGrant": False, "why": "no terminal"})
    assert (script.state, "no terminal" in script.said) == (State.NOTE, True)
    assert script.next


def test_who_types_below_an_agent_is_told_which_and_what_helps() -> None:
    """The terminal of an editor is the editor's, until the settings say otherwise."""
    held = {"pid": 5, "name": "code", "runs": True}
    who = {"kind": "root", "nodeId": "r", "mayGrant": False, "why": "x", "territory": held}
    told = looks.look_at_caller(who)
    assert told.said.startswith("the root r, by process 5 (code) above you")
    assert 'territory = "bridge"' in told.next
    del who["territory"]
    assert looks.look_at_caller(who).said.startswith("the root r: it may")
    child = looks.look_at_caller({"kind": "child", "nodeId": "c", "mayGrant": False, "why": "x"})
    assert (child.state, child.next) == (State.NOTE, "")
