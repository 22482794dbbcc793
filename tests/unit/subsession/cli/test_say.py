"""A child's own words from its shell."""

from pathlib import Path
from typing import Any

import pytest

from subsession.cli import exits, main
from tests.support.fake_daemon import fake_daemon
from tests.support.rows import CHILD


def test_a_node_speaks_for_itself(
    path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """With a token in the environment no parent is named: the daemon derives it."""
    monkeypatch.setenv("SUBSESSION_TOKEN", "t")
    answers: dict[str, Any] = {
        "subsession.spawn": {"nodeId": CHILD, "state": "claimed", "warnings": []},
        "subsession.report": {"messageId": "m.1", "text": "report accepted", "already": False},
    }
    with fake_daemon(path, answers) as daemon:
        assert main(["spawn", "x"]) == exits.OK
        assert "parentId" not in daemon.params_of("subsession.spawn")
        words = "report --stage final --outcome blocked --blocker wall --question why? done"
        assert main([*words.split(), "--section", "a=b=c"]) == exits.OK
        sent = daemon.params_of("subsession.report")
        assert set(daemon.tokens) == {"Bearer t"}
    assert sent.pop("idempotencyKey")
    assert sent == {
        "output": "done",
        "stage": "final",
        "outcome": "blocked",
        "blockers": ["wall"],
        "openQuestions": ["why?"],
        "sections": {"a": "b=c"},
    }
    assert capsys.readouterr().out.endswith("report accepted\n")


@pytest.mark.parametrize("name", ["SUBSESSION_TOKEN", "SUBSESSION_NODE"])
def test_either_variable_tells_that_a_child_speaks(
    path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """An agent that hides its token from its shell can report from there all the same."""
    monkeypatch.setenv(name, "t")
    saved = {"subsession.checkpoint": {"pointer": "workspaceFile:x#3", "line": 3}}
    with fake_daemon(path, saved) as daemon:
        assert main(["checkpoint", "--phase", "a", "--next-step", "b", "c"]) == exits.OK
        assert daemon.params_of("subsession.checkpoint")["state"] == "c"


@pytest.mark.parametrize("verb", ["report x", "checkpoint --phase a --next-step b c"])
def test_a_person_is_told_whose_words_these_are(
    path: Path, verb: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Outside of a child nothing is sent, and nothing is waited for on standard input."""
    assert main(verb.split()) == exits.USAGE
    assert "child's own process" in capsys.readouterr().err
