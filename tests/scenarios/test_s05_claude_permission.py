"""S05 for Claude Code: its question is answered at once; what nobody may grant waits as a row."""

import json
from typing import Any

import pytest

from tests.support.acting import BLOCKED, FINAL, act, config, heard, prompts
from tests.support.closing import check_closing
from tests.support.daemon import Daemon
from tests.support.hire import wait_for

OWNS = {"ownedGlobs": ["docs/**"]}


def ask(tool: str, **said: Any) -> dict[str, Any]:
    """Ask whether a tool may be used, with an offer to allow it for ever."""
    offer = [{"type": "setMode", "mode": "acceptEdits", "destination": "session"}]
    asked = {"subtype": "can_use_tool", "tool_name": tool, "input": said}
    return {**asked, "permission_suggestions": offer}


@pytest.mark.scenario("S05")
def test_questions_are_answered_at_once_and_for_this_time_alone() -> None:
    """Three at once, none with yes; the child reports itself blocked, and a row waits, restart or
    not.
    """
    questions = [ask("Write", file_path="/etc/x"), ask("Bash", command="ls"), ask("Brand New")]
    with Daemon(config=config(actor={"runner": "claude"})) as daemon:
        root = daemon.open()
        node = act(daemon, root, [{"ask": questions}, BLOCKED], brief=OWNS)
        assert wait_for(daemon, node, "released")["outcome"] == "blocked"
        (asked,) = [entry for entry in heard(daemon, node) if "answers" in entry]
        answers = [answer["response"]["response"] for answer in asked["answers"]]
        assert [answer["behavior"] for answer in answers] == ["deny"] * 3
        assert "updatedPermissions" not in json.dumps(answers)
        assert asked["seconds"] < 1.0
        before = daemon.call("subsession.blocked")["rows"]
        assert [row["nodeId"] for row in before] == [node]
        daemon.stop()
        daemon.start()
        assert daemon.call("subsession.blocked")["rows"] == before
        check_closing(daemon)


@pytest.mark.scenario("S05")
def test_what_is_asked_of_a_person_is_an_error_at_once() -> None:
    """A dialog, a login, words that nobody knows: nothing of it waits for anybody."""
    kinds = (
        "request_user_dialog",
        "elicitation",
        "oauth_token_refresh",
        "brand_new",
        "mcp_message",
    )
    with Daemon(config=config(actor={"runner": "claude"})) as daemon:
        node = act(daemon, daemon.open(), [{"ask": [{"subtype": kind} for kind in kinds]}, FINAL])
        assert wait_for(daemon, node, "released")["outcome"] == "completed"
        (asked,) = [entry for entry in heard(daemon, node) if "answers" in entry]
        said = [answer["response"] for answer in asked["answers"]]
        assert [answer["subtype"] for answer in said] == ["error"] * len(kinds)
        assert said[0]["error"] == "unsupported request: request_user_dialog"
        assert asked["seconds"] < 1.0
        check_closing(daemon)


@pytest.mark.scenario("S05")
def test_a_question_after_the_final_is_answered_too() -> None:
    """The agent runs on for a moment, and would else wait for ever."""
    with Daemon(config=config(actor={"runner": "claude"})) as daemon:
        late = {"ask": [ask("Write", file_path="/etc/x")]}
        node = act(daemon, daemon.open(), [FINAL, late])
        assert wait_for(daemon, node, "released")["outcome"] == "completed"
        (asked,) = [entry for entry in heard(daemon, node) if "answers" in entry]
        assert asked["seconds"] < 1.0
        check_closing(daemon)


@pytest.mark.scenario("S05")
def test_a_turn_that_ends_with_a_refusal_is_followed_by_the_way_to_be_blocked() -> None:
    """What it owns it may write; one message names the rest, and the blocked final is had."""
    with Daemon(config=config(actor={"runner": "claude"})) as daemon:
        steps = [{"shell": ["mkdir", "docs"]}, {"write": "docs/a.md"}, {"write": "src/x.py"}]
        node = act(daemon, daemon.open(), steps, [BLOCKED], brief=OWNS)
        assert wait_for(daemon, node, "released")["outcome"] == "blocked"
        _, told = prompts(daemon, node)
        assert "approval-required: fs write src/x.py" in told
        assert (daemon.workspace / "docs/a.md").exists()
        check_closing(daemon)
