"""The verb that agents run, where it is reached as a verb."""

import json
import os
import sys
from pathlib import Path

import pytest

from subsession.cli import exits, main
from tests.support.fake_daemon import fake_daemon


def test_it_is_a_verb_like_the_others(
    path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """Options before it are understood, too, and its answer is the agent's form in any case."""
    monkeypatch.delenv("SUBSESSION_SOCKET")
    asks, says = os.pipe()
    os.write(says, b'{"hook_event_name": "Stop"}')
    os.close(says)
    with os.fdopen(asks) as stdin, fake_daemon(path, {"subsession.unread": {"text": "mail"}}):
        monkeypatch.setattr(sys, "stdin", stdin)
        assert main(["--socket", str(path), "hook", "stop"]) == exits.OK
    assert json.loads(capfd.readouterr().out) == {"decision": "block", "reason": "mail"}
