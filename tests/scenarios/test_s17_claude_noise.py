"""S17 for Claude Code: text among its lines is noise, and text alone is a failed start."""

import pytest

from tests.support.acting import FINAL, act, config, envelope
from tests.support.closing import check_closing
from tests.support.daemon import Daemon
from tests.support.hire import wait_for

NOISE = '\ufeff=== v1 ===\r\n\n\x1b[32mhook ok\x1b[0m\r\n42\n"x"\nnull\n[]\n{"half": \n'
STRAY = (
    '{"type":"control_response","response":{"request_id":"q9","subtype":"error"}}\n'
    '{"type":"control_response"}\n{"type":"control_request"}\n{"type":"control_cancel_request"}\n'
    '{"type":"command_lifecycle","command_uuid":"none","state":"cancelled"}\n{"type":4}\n{}\n'
)
CRLF = '\ufeff{"type":"system","subtype":"brand_new"}\r\n'
ALL = {"print": NOISE + STRAY + CRLF}
AROUND = {"start": [ALL], "before initialize": [ALL], "after initialize": [ALL], "finish": [ALL]}


@pytest.mark.scenario("S17")
def test_lines_around_noise_are_handled() -> None:
    """Banners, values that are no object and answers to nothing change nothing, end or not."""
    with Daemon(config=config(actor={"runner": "claude", **AROUND})) as daemon:
        root = daemon.open()
        node = act(daemon, root, [ALL, {"update": {"type": "assistant"}}, ALL, FINAL, ALL])
        assert wait_for(daemon, node, "released")["outcome"] == "completed"
        failed = act(daemon, root, [ALL, {"result": {"stop_reason": "refusal"}}])
        wait_for(daemon, failed, "released")
        diagnostic = envelope(daemon, failed)["diagnostic"]
        assert "hook ok" in diagnostic
        assert "\x1b" not in diagnostic
        check_closing(daemon)


@pytest.mark.scenario("S17")
def test_text_alone_is_a_failed_start_with_a_sample() -> None:
    """Its parent is told in our words; the operator sees what it printed."""
    mute = {"runner": "claude", "start": [{"print": "Welcome! Please log in.\n"}, {"exit": 0}]}
    with Daemon(config=config(actor=mute)) as daemon:
        root = daemon.open()
        node = act(daemon, root, waitMs=0)
        row = wait_for(daemon, node, "released")
        assert (row["outcome"], row["reason"]) == ("failed", "start-failed")
        assert "Welcome! Please log in." in envelope(daemon, node)["diagnostic"]
        (message,) = daemon.call("subsession.inbox", nodeId=root)["messages"]
        assert "Welcome" not in message["text"]
        check_closing(daemon)
