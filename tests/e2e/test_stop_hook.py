"""The hook at the end of a turn, run below an agent by real processes."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.support.daemon import Daemon
from tests.support.hire import CONFIG, hire, wait_for
from tests.support.ide import Ide, folder_of, roots_on

AGENT = """
while read -r again <ask; do
  [ "$again" = over ] && break
  printf '{"hook_event_name": "Stop", "stop_hook_active": %s}' "$again" | "$0" hook stop \\
    --state-dir "$STATE" >say
done &
exec "$@"
"""
"""Runs the hook whenever it is asked to, beside the bridge that it becomes."""


class Agent(Ide):
    """An editor whose agent has the hook."""

    def ended(self, *, again: bool = False) -> Any:
        """End a turn; gives what the hook said, none where it was silent."""
        with (self.folder / "ask").open("w") as ask:
            ask.write(f"{str(again).lower()}\n")
        said = (self.folder / "say").read_text()
        return json.loads(said) if said else None

    def __init__(self, daemon: Daemon, name: str) -> None:
        self.folder = folder_of(daemon, name)
        for pipe in ("ask", "say"):
            os.mkfifo(self.folder / pipe)
        program = str(Path(sys.executable).with_name("subsession"))
        state = str(daemon.state)
        launcher = ("sh", "-c", AGENT, program)
        super().__init__(daemon.state, self.folder, *launcher, environ={"STATE": state})


@contextmanager
def an_agent(daemon: Daemon, name: str) -> Iterator[Agent]:
    """Give an agent that has said hello."""
    with Agent(daemon, name) as agent:
        try:
            agent.greet()
            yield agent
        finally:
            (agent.folder / "ask").write_text("over\n")


@pytest.fixture(scope="module")
def daemon() -> Iterator[Daemon]:
    """Give a daemon for many agents."""
    with Daemon(config=CONFIG) as made:
        yield made


def test_a_turn_does_not_end_with_unread_mail(daemon: Daemon) -> None:
    """The hook is known for its agent's by its process alone; what was read keeps no turn."""
    with an_agent(daemon, "one") as agent:
        assert agent.ended() is None
        (root,) = roots_on(daemon, agent.folder)
        wait_for(daemon, hire(daemon, root, "echo", "42 words"))
        told = agent.ended()
        assert told["decision"] == "block"
        assert "a message from a subagent" in told["reason"]
        assert "42 words" not in told["reason"]
        assert agent.ended(again=True) is None
        assert "42 words" in agent.wire.text("subsession_inbox")
        assert agent.ended() is None


def test_mail_that_comes_while_a_turn_goes_on_keeps_it_once_more(daemon: Daemon) -> None:
    """Each message does so once, so that a model that does not read ends its turn all the same."""
    with an_agent(daemon, "two") as agent:
        (root,) = roots_on(daemon, agent.folder)
        wait_for(daemon, hire(daemon, root, "true"))
        assert agent.ended()
        wait_for(daemon, hire(daemon, root, "true"))
        assert agent.ended(again=True)
        assert agent.ended(again=True) is None
        assert "2 messages" in agent.ended()["reason"]


def test_mail_of_another_agent_keeps_nobody(daemon: Daemon) -> None:
    """Neither a second agent on the same daemon nor a person's shell hears of it."""
    with an_agent(daemon, "three") as agent, an_agent(daemon, "four") as other:
        (root,) = roots_on(daemon, agent.folder)
        wait_for(daemon, hire(daemon, root, "true"))
        assert other.ended() is None
        words = ["-m", "subsession", "hook", "stop", "--state-dir", str(daemon.state)]
        said = subprocess.run(
            [sys.executable, *words],
            input='{"hook_event_name": "Stop"}',
            capture_output=True,
            text=True,
            check=True,
            timeout=20,
        )
        assert said.stdout == ""
        assert agent.ended()
