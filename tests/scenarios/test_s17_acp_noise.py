"""S17 for ACP agents: text among the frames is noise, and text alone is a failed start."""

import pytest

from tests.support.acting import FINAL, act, config, envelope
from tests.support.closing import check_closing
from tests.support.daemon import Daemon
from tests.support.hire import wait_for

NOISE = '\ufeff=== v1 ===\r\n\n\x1b[32mhook ok\x1b[0m\r\n42\n"x"\nnull\n[]\n{"half": \n'
UNKNOWN = '{"jsonrpc":"2.0","id":99,"result":{}}\n{"jsonrpc":"2.0","id":null,"error":{}}\n'
CRLF = '\ufeff{"jsonrpc":"2.0","method":"vendor/hello","params":{}}\r\n'
ALL = {"print": NOISE + UNKNOWN + CRLF}
AROUND = {"start": [ALL], "before session/new": [ALL], "after session/new": [ALL], "finish": [ALL]}


@pytest.mark.scenario("S17")
def test_frames_around_noise_are_handled() -> None:
    """Banners, values that are no object and answers to nothing change nothing, end or not."""
    with Daemon(config=config(actor=AROUND)) as daemon:
        root = daemon.open()
        node = act(daemon, root, [ALL, {"update": {"sessionUpdate": "plan"}}, ALL, FINAL, ALL])
        assert wait_for(daemon, node, "released")["outcome"] == "completed"
        failed = act(daemon, root, [ALL, {"stop": "refusal"}])
        wait_for(daemon, failed, "released")
        diagnostic = envelope(daemon, failed)["diagnostic"]
        assert "hook ok" in diagnostic
        assert "\x1b" not in diagnostic
        assert "answers to nothing that was asked: 8" in diagnostic
        check_closing(daemon)


@pytest.mark.scenario("S17")
def test_text_alone_is_a_failed_start_with_a_sample() -> None:
    """Its parent is told in our words; the operator sees what it printed."""
    mute = {"start": [{"print": "Welcome! Please log in.\n"}, {"exit": 0}]}
    with Daemon(config=config(actor=mute)) as daemon:
        root = daemon.open()
        node = act(daemon, root, waitMs=0)
        row = wait_for(daemon, node, "released")
        assert (row["outcome"], row["reason"]) == ("failed", "start-failed")
        assert "Welcome! Please log in." in envelope(daemon, node)["diagnostic"]
        (message,) = daemon.call("subsession.inbox", nodeId=root)["messages"]
        assert "Welcome" not in message["text"]
        check_closing(daemon)


@pytest.mark.scenario("S17")
def test_noise_is_no_sign_of_life() -> None:
    """An agent that prints without end and says nothing is retired like a silent one."""
    kind = {"retire_ms": 1_500}
    with Daemon(config=config(actor=kind)) as daemon:
        steps = [{"babble": "still here\n"}]
        node = act(daemon, daemon.open(), steps)
        row = wait_for(daemon, node, "released")
        assert (row["outcome"], row["reason"]) == ("failed", "retired-silent")
        assert row["lastSign"] == "prompt"
        check_closing(daemon)
