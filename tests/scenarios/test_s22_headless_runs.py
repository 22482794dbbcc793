"""S22 for headless agents of more than one run: what comes while one runs begins the next."""

import pytest

from subsession.client import Client
from tests.support.closing import check_closing
from tests.support.daemon import Daemon
from tests.support.headless import BY_SHELL, config, prompt, spawn
from tests.support.hire import wait_for

FINAL = {"report": {"output": "done", "stage": "final", "outcome": "completed"}}
NAMED = {"line": {"type": "say", "text": "a", "thread": "t-1"}}
CLOSES = {"close": "bye"}


def runs() -> dict[str, str]:
    """Configure an agent whose conversation is taken up; it has none of our tools."""
    made = config(runs=f'{BY_SHELL}\nresume = ["--on", "{{session}}"]')
    events = "[agents.runs.events]\n"
    made["agents.toml"] = made["agents.toml"].replace(events, f'{events}session = "thread"\n')
    return made


@pytest.mark.scenario("S22")
def test_a_word_that_came_too_late_for_a_run_begins_the_next() -> None:
    """It is read once, in a run of its own, and nobody is told that it was not."""
    with Daemon(config=runs()) as daemon:
        opened = daemon.call("subsession.open", workspace=str(daemon.workspace))
        node = spawn(daemon, opened["nodeId"], "runs", NAMED, {"waitFile": "go"}, CLOSES)
        wait_for(daemon, node, "running")
        with Client(daemon.socket, token=opened["token"]) as parent:
            text = f"look left {prompt(FINAL, CLOSES)}"
            said = parent.call("subsession.steer", {"nodeId": node, "text": text})
            (daemon.workspace / "go").touch()
            row = wait_for(daemon, node, "released")
            texts = [m["text"] for m in parent.call("subsession.inbox", {})["messages"]]
        assert (row["outcome"], row["reason"]) == ("completed", "final-report")
        assert not [text for text in texts if said["messageId"] in text]
        page = daemon.call("subsession.transcript", nodeId=node)
        told = [r["text"] for r in page["records"] if r["kind"] == "in"]
        assert [text.count("look left") for text in told] == [0, 1]
        check_closing(daemon)


@pytest.mark.scenario("S22")
def test_a_word_that_no_run_took_comes_back() -> None:
    """The run it came in broke: its sender hears that it was not read."""
    broken = {"close": {"is_error": True, "error": "529"}}
    with Daemon(config=runs()) as daemon:
        opened = daemon.call("subsession.open", workspace=str(daemon.workspace))
        node = spawn(daemon, opened["nodeId"], "runs", NAMED, {"waitFile": "go"}, broken)
        wait_for(daemon, node, "running")
        with Client(daemon.socket, token=opened["token"]) as parent:
            said = parent.call("subsession.steer", {"nodeId": node, "text": "look left"})
            (daemon.workspace / "go").touch()
            assert wait_for(daemon, node, "released")["reason"] == "agent-error"
            texts = [m["text"] for m in parent.call("subsession.inbox", {})["messages"]]
        assert [text for text in texts if said["messageId"] in text and "before it read" in text]
        check_closing(daemon)
