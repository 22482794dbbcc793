"""What a child's own process says."""

from pathlib import Path

import pytest

from subsession import child
from tests.support.fake_daemon import HangUp, Json, fake_daemon


@pytest.fixture(autouse=True)
def _in_a_node(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Give this process the environment of a child."""
    monkeypatch.setenv("SUBSESSION_SOCKET", str(tmp_path / "d.sock"))
    monkeypatch.setenv("SUBSESSION_TOKEN", "t")


def test_output_alone_is_a_report(tmp_path: Path) -> None:
    """The simplest report has its text and a key, so that it can be repeated."""
    answers = {"subsession.report": {"messageId": "m.1", "text": "accepted", "already": False}}
    with fake_daemon(tmp_path / "d.sock", answers) as daemon:
        assert child.report("all is well")["messageId"] == "m.1"
        sent = daemon.params_of("subsession.report")
        assert sent.pop("idempotencyKey")
        assert sent == {"output": "all is well"}
        assert set(daemon.tokens) == {"Bearer t"}


def test_a_report_survives_a_broken_connection(tmp_path: Path) -> None:
    """It is sent once more with the same key, so that it counts once."""
    seen = []

    def break_first(params: Json) -> Json:
        seen.append(params["idempotencyKey"])
        if len(seen) == 1:
            raise HangUp
        return {"messageId": "m.1", "text": "accepted", "already": True}

    with fake_daemon(tmp_path / "d.sock", {"subsession.report": break_first}):
        assert child.report("once")["already"]
    assert len(seen) == 2
    assert seen[0] == seen[1]


def test_a_checkpoint_says_where_the_child_stands(tmp_path: Path) -> None:
    """Phase, state and next step go as they were given."""
    answers = {"subsession.checkpoint": {"pointer": "p#3", "line": 3}}
    with fake_daemon(tmp_path / "d.sock", answers) as daemon:
        assert child.checkpoint("reading", "half done", "read the rest")["line"] == 3
        assert daemon.params_of("subsession.checkpoint") == {
            "phase": "reading",
            "state": "half done",
            "nextStep": "read the rest",
        }
