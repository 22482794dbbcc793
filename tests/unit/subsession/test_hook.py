"""What an agent is told before it ends its turn."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from subsession.hook import form, is_again, is_end, read_event
from tests.support.fake_daemon import Json, fake_daemon

TEXT = "Before you finish: read your mail."
CLAUDE = {"hook_event_name": "Stop", "session_id": "s", "stop_hook_active": False}
CODEX = {**CLAUDE, "turn_id": "t", "last_assistant_message": None}
GEMINI = {"hook_event_name": "AfterAgent", "timestamp": "2026", "stop_hook_active": False}
CURSOR = {"hook_event_name": "stop", "status": "completed", "loop_count": 0}
VSCODE = {"hookEventName": "Stop", "timestamp": "2026", "stop_hook_active": False}
BLOCK = {"decision": "block", "reason": TEXT}


def answers(*counts: int) -> Any:
    """Answer as a daemon, with so much unread mail at each call."""
    left = list(counts)

    def answer(_: Json) -> Json:
        count = left.pop(0)
        return {"count": count, "text": TEXT if count else ""}

    return {"subsession.unread": answer}


def run(path: Path, event: object, **env: str) -> subprocess.CompletedProcess[str]:
    """Run the hook as an agent does, with what it says of the event."""
    said = event if isinstance(event, str) else json.dumps(event)
    program = "import subsession.entry as e; raise SystemExit(e.main())"
    return subprocess.run(
        [sys.executable, "-c", program, "hook", "stop", "--socket", str(path)],
        input=said,
        capture_output=True,
        text=True,
        check=False,
        timeout=20,
        env={"PATH": os.defpath, "HOME": str(path.parent), **env},
    )


@pytest.mark.parametrize(
    ("event", "told"),
    [
        (CLAUDE, BLOCK),
        (CODEX, BLOCK),
        (GEMINI, {"decision": "deny", "reason": TEXT}),
        (CURSOR, {"followup_message": TEXT}),
        (VSCODE, {"hookSpecificOutput": {"hookEventName": "Stop", **BLOCK}}),
    ],
)
def test_each_agent_is_told_in_its_own_form(tmp_path: Path, event: Json, told: Json) -> None:
    """By what it says of the event the agent is known; the words are the daemon's."""
    with fake_daemon(tmp_path / "d.sock", answers(1)) as daemon:
        done = run(tmp_path / "d.sock", event)
        assert daemon.calls == [("subsession.unread", {"again": False})]
    assert json.loads(done.stdout) == told == form(event, TEXT)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(
    ("event", "again"),
    [
        (CLAUDE, False),
        ({**CLAUDE, "stop_hook_active": True}, True),
        ({**CURSOR, "loop_count": 2}, True),
    ],
)
def test_a_turn_that_goes_on_is_known(event: Json, again: bool) -> None:
    """The daemon is told so, and tells of what came since alone: no turn goes on for ever."""
    assert is_again(event) is again


@pytest.mark.parametrize(
    "event",
    [
        {**CURSOR, "status": "aborted"},
        {**CURSOR, "status": "error"},
        {"hook_event_name": "SubagentStop"},
        {"hook_event_name": "PreToolUse"},
    ],
)
def test_other_events_are_none_of_ours(event: Json) -> None:
    """A turn that a person has stopped stays stopped, and nothing but its end is answered."""
    assert not is_end(event)


def test_where_there_is_no_mail_nothing_is_said(tmp_path: Path) -> None:
    """An agent that has read everything ends its turn as if we were not there."""
    with fake_daemon(tmp_path / "d.sock", answers(0)):
        done = run(tmp_path / "d.sock", CLAUDE)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_where_there_is_no_daemon_none_is_started(tmp_path: Path) -> None:
    """Without one there is no mail; nothing is said, and nothing is left on disk."""
    done = run(tmp_path / "d.sock", CLAUDE)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("said", ["", "{", "[]", "no JSON\n", '{"hook_event_name": 3}'])
def test_what_cannot_be_understood_is_answered_by_silence(tmp_path: Path, said: str) -> None:
    """An agent that says something new must not stumble over us."""
    with fake_daemon(tmp_path / "d.sock", answers(1, 1)):
        done = run(tmp_path / "d.sock", said)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def refused(_: Json) -> Json:
    """Answer with something else than was asked for."""
    return {"strange": True}


def test_an_older_daemon_is_answered_by_silence(tmp_path: Path) -> None:
    """One that does not know the method, or answers it otherwise, is no reason to stumble."""
    for laid in ({}, {"subsession.unread": refused}):
        with fake_daemon(tmp_path / "d.sock", laid):
            done = run(tmp_path / "d.sock", CLAUDE)
        (tmp_path / "d.sock").unlink(missing_ok=True)
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_in_a_child_nothing_is_asked(tmp_path: Path) -> None:
    """A hook of the person's settings runs in children too, whom the daemon prompts itself."""
    with fake_daemon(tmp_path / "d.sock", answers(1)) as daemon:
        done = run(tmp_path / "d.sock", CLAUDE, SUBSESSION_NODE="0" * 26)
        assert daemon.calls == []
    assert done.stdout == ""


def test_an_input_that_stays_open_is_read_as_far_as_it_goes() -> None:
    """Not every agent closes it: what is complete is enough. A mark at its beginning is none."""
    asks, says = os.pipe()
    with os.fdopen(asks, "rb") as stream, os.fdopen(says, "wb", buffering=0) as agent:
        agent.write(b'\xef\xbb\xbf{"hook_event_name": {"a": 1}')
        agent.write(b', "x": "}"}\n')
        assert read_event(stream) == {"hook_event_name": {"a": 1}, "x": "}"}
