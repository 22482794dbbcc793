"""S22 for headless agents: what they never read comes back, and who can read none is told none."""

import pytest

from subsession.client import Client
from subsession.errors import Refused
from tests.support.closing import check_closing
from tests.support.daemon import Daemon
from tests.support.headless import BY_SHELL, ENDS, SPEAKS, config, spawn
from tests.support.hire import wait_for


@pytest.mark.scenario("S22")
def test_a_word_that_a_headless_agent_never_read_comes_back() -> None:
    """It is accepted, not called read, and its sender hears at the end that it was not."""
    with Daemon(config=config(speaks=SPEAKS)) as daemon:
        opened = daemon.call("subsession.open", workspace=str(daemon.workspace))
        root = opened["nodeId"]
        final = {"report": {"output": "done", "stage": "final", "outcome": "completed"}}
        node = spawn(daemon, root, "speaks", {"say": "a"}, {"waitFile": "go"}, final)
        wait_for(daemon, node, "running")
        with Client(daemon.socket, token=opened["token"]) as parent:
            said = parent.call("subsession.steer", {"nodeId": node, "text": "look left"})
            assert "not read yet" in said["text"]
            (daemon.workspace / "go").touch()
            assert wait_for(daemon, node, "released")["outcome"] == "completed"
            texts = [m["text"] for m in parent.call("subsession.inbox", {})["messages"]]
        assert [text for text in texts if said["messageId"] in text and "before it read" in text]
        check_closing(daemon)


@pytest.mark.scenario("S22")
@pytest.mark.parametrize("profile", [BY_SHELL, ENDS])
def test_who_reads_nothing_in_its_run_is_told_nothing(profile: str) -> None:
    """A steer to an agent without our tools is refused, with what to do instead."""
    with Daemon(config=config(deaf=profile)) as daemon:
        root = daemon.open()
        node = spawn(daemon, root, "deaf", {"say": "a"}, {"sleep": 600})
        wait_for(daemon, node, "running")
        with pytest.raises(Refused, match="takes no messages while it runs"):
            daemon.call("subsession.steer", nodeId=node, text="look left")
        check_closing(daemon)
