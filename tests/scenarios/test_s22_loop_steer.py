"""S22 for in-process loops: a word is read before the next request, or comes back."""

import pytest

from tests.support.closing import check_closing
from tests.support.daemon import Daemon
from tests.support.hire import wait_for
from tests.support.looped import ENVIRON, config, final, served, spawn

LONG = {
    "call": "run_command",
    "args": {"command": "touch busy; until [ -e go ]; do sleep 0.02; done"},
}


def steer(daemon: Daemon, node: str, text: str) -> str:
    """Say something; gives the id of the message."""
    return str(daemon.call("subsession.steer", nodeId=node, text=text)["messageId"])


@pytest.mark.scenario("S22")
def test_words_for_a_loop_are_read_at_its_next_step_in_order() -> None:
    """(1) and (6): while a long tool runs both are accepted; then both are read, in order."""
    with served() as models, Daemon(config=config(models.stub.url), environ=ENVIRON) as daemon:
        root = daemon.open()
        node = spawn(daemon, root, LONG, final())
        models.wait_until(lambda stub: len(stub.requests) == 1)
        wait_for(daemon, node, "running")
        messages = [steer(daemon, node, text) for text in ("same words", "same words", "last")]
        states = {daemon.call("subsession.receipt", messageId=m)["state"] for m in messages}
        assert states == {"staged"}
        (daemon.workspace / "go").touch()
        assert wait_for(daemon, node, "released")["outcome"] == "completed"
        body = models.stub.requests[1].raw
        assert body.count(b"same words") == 2
        assert body.index(b"exit status 0") < body.index(b"same words") < body.index(b"last")
        states = {daemon.call("subsession.receipt", messageId=m)["state"] for m in messages}
        assert states == {"acknowledged"}
        check_closing(daemon)


@pytest.mark.scenario("S22")
def test_a_word_that_comes_with_the_final_is_returned() -> None:
    """(2): the model was asked before it came, and its answer settles the child."""
    with served() as models, Daemon(config=config(models.stub.url), environ=ENVIRON) as daemon:
        root = daemon.open()
        node = spawn(daemon, root, {"wait": "f", **final()})
        models.wait_held("f")
        message = steer(daemon, node, "too late")
        models.release("f")
        assert wait_for(daemon, node, "released")["outcome"] == "completed"
        receipt = daemon.call("subsession.receipt", messageId=message)
        assert receipt["state"] == "undeliverable"
        assert not any(request.holds("too late") for request in models.stub.requests)
        check_closing(daemon)
