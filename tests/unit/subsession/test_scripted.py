"""`python -m subsession.scripted`: a script played by a real process."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from subsession.scripted import BadScript, main, read_steps
from tests.support.fake_daemon import HangUp, Json, Refuse, fake_daemon

SAYS = "subsession.scripted: this is no model: it plays "
ACCEPTED: Json = {"messageId": "m.1", "text": "accepted", "already": False}


def play(
    folder: Path, *steps: dict[str, Any], stdin: str = ""
) -> "subprocess.CompletedProcess[str]":
    """Play steps in a process of their own, in a folder where a daemon may listen."""
    (folder / "script.json").write_text(json.dumps({"steps": steps}))
    return subprocess.run(
        [sys.executable, "-m", "subsession.scripted", "script.json"],
        cwd=folder,
        env={**os.environ, "SUBSESSION_SOCKET": str(folder / "d.sock"), "SUBSESSION_TOKEN": "t"},
        input=stdin,
        capture_output=True,
        text=True,
        timeout=20,
        check=False,
    )


def test_it_says_that_it_is_scripted(tmp_path: Path) -> None:
    """The first words on standard error say what it is; a script that ends is status 0."""
    done = play(tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", f"{SAYS}script.json\n")


def test_it_prints_reads_and_writes(tmp_path: Path) -> None:
    """Texts go out as they are, many times if asked; the input is read; files are written."""
    done = play(
        tmp_path,
        {"readStdin": None},
        {"print": "a"},
        {"print": {"text": "b\n", "times": 3}},
        {"printError": {"text": "e"}},
        {"write": {"path": "x/y.txt", "text": "z"}},
        {"pauseMs": 1},
        {"closeStdin": None},
        {"exit": 7},
        {"print": "never"},
        stdin="the mission",
    )
    assert (done.returncode, done.stdout) == (7, "ab\nb\nb\n")
    assert done.stderr.endswith("\ne")
    assert (tmp_path / "x/y.txt").read_text() == "z"


@pytest.mark.parametrize(
    ("step", "status", "words"),
    [
        ({"end": {"outcome": "completed"}}, 0, ""),
        ({"end": {"outcome": "failed", "diagnostic": "429"}}, 1, "429"),
        ({"end": {}}, 1, ""),
        ({"raise": "boom"}, 1, "RuntimeError: boom"),
        ({"exit": {"signal": 9}}, -9, ""),
    ],
)
def test_it_ends_as_the_script_says(
    tmp_path: Path, step: dict[str, Any], status: int, words: str
) -> None:
    """An end is an exit by its outcome; a failure is one of the program; a signal ends it."""
    done = play(tmp_path, step, {"print": "never"})
    assert (done.returncode, done.stdout) == (status, "")
    assert words in done.stderr


def test_it_can_refuse_to_leave(tmp_path: Path) -> None:
    """After ignoreTerm the polite signal has no effect."""
    steps = [{"ignoreTerm": None}, {"print": "up\n"}, {"pauseMs": 600_000}]
    (tmp_path / "s.json").write_text(json.dumps({"steps": steps}))
    command = [sys.executable, "-m", "subsession.scripted", str(tmp_path / "s.json")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"up\n"
        process.send_signal(signal.SIGTERM)
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(0.2)
        process.kill()


def test_it_can_leave_a_process_behind(tmp_path: Path) -> None:
    """A forked sleeper holds the pipes after its parent has gone, in its own session or not."""
    steps = [{"fork": {"ms": 600_000, "newSession": True}}, {"fork": {}}, {"exit": 0}]
    (tmp_path / "s.json").write_text(json.dumps({"steps": steps}))
    command = [sys.executable, "-m", "subsession.scripted", str(tmp_path / "s.json")]
    ours, theirs = os.pipe()
    with subprocess.Popen(
        command, stdout=theirs, stderr=subprocess.DEVNULL, start_new_session=True
    ) as process:
        os.close(theirs)
        assert process.wait(20) == 0
        os.set_blocking(ours, False)
        with pytest.raises(BlockingIOError):
            os.read(ours, 1)
        left = sleepers(str(tmp_path / "s.json"))
        assert len(left) == 2
        assert len({os.getsid(pid) for pid in left}) == 2
        for pid in left:
            os.kill(pid, signal.SIGKILL)
    os.set_blocking(ours, True)
    assert os.read(ours, 1) == b""
    os.close(ours)


def sleepers(script: str) -> list[int]:
    """Find the processes that play this script."""
    found = []
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            words = Path(f"/proc/{name}/cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        found += [int(name)] if script.encode() in words else []
    return found


def test_it_speaks_with_its_token(tmp_path: Path) -> None:
    """Reports, checkpoints and spawns go to the daemon as they stand, under the child's token."""
    answers = {
        "subsession.report": ACCEPTED,
        "subsession.checkpoint": {"pointer": "p", "line": 2},
        "subsession.spawn": {"nodeId": "n", "state": "claimed", "claimedAt": 1, "warnings": []},
    }
    with fake_daemon(tmp_path / "d.sock", answers) as daemon:
        done = play(
            tmp_path,
            {"report": {"output": "x", "stage": "progress"}},
            {"checkpoint": {"phase": "p"}},
            {"spawn": {"role": "worker", "brief": {"mission": "m"}, "idempotencyKey": "k"}},
        )
        assert (done.returncode, done.stdout) == (0, "")
        sent = daemon.params_of("subsession.report")
        assert sent.pop("idempotencyKey")
        assert sent == {"output": "x", "stage": "progress"}
        assert daemon.params_of("subsession.checkpoint") == {"phase": "p"}
        assert daemon.params_of("subsession.spawn")["idempotencyKey"] == "k"
        assert set(daemon.tokens) == {"Bearer t"}


def test_a_refusal_is_told_and_the_script_goes_on(tmp_path: Path) -> None:
    """What the daemon refuses stands on standard error; the next step is played."""

    def refuse(_: Json) -> Json:
        raise Refuse(2001, "REPORT_TOO_LARGE", code="REPORT_TOO_LARGE", step="size")

    with fake_daemon(tmp_path / "d.sock", {"subsession.report": refuse}):
        done = play(tmp_path, {"report": {"output": "x"}}, {"print": "on"})
    assert (done.returncode, done.stdout) == (0, "on")
    assert "subsession.scripted: refused: " in done.stderr


def test_a_lost_answer_is_asked_for_once_more(tmp_path: Path) -> None:
    """A call with a key is repeated with that key; one without is not."""
    seen: list[str] = []

    def hang_up(params: Json) -> Json:
        seen.append(params["idempotencyKey"])
        if len(seen) == 1:
            raise HangUp
        return ACCEPTED

    def always(_: Json) -> Json:
        raise HangUp

    answers = {"subsession.report": hang_up, "subsession.checkpoint": always}
    with fake_daemon(tmp_path / "d.sock", answers) as daemon:
        done = play(tmp_path, {"report": {"output": "x"}}, {"checkpoint": {}})
        assert len(seen) == 2
        assert seen[0] == seen[1]
        assert [name for name, _ in daemon.calls].count("subsession.checkpoint") == 1
    assert done.returncode == 1
    assert "the call may have arrived" in done.stderr


def test_it_waits_for_mail_and_acknowledges_it(tmp_path: Path) -> None:
    """Pages are taken until enough came; each message that was read is acknowledged."""
    pages = [[], ["c.1"], ["c.2", "c.3"]]
    done: list[str] = []

    def inbox(params: Json) -> Json:
        if "acknowledge" in params:
            done.extend(params["acknowledge"])
            return {"messages": []}
        return {"messages": [{"messageId": name} for name in pages.pop(0)]}

    with fake_daemon(tmp_path / "d.sock", {"subsession.inbox": inbox}):
        assert play(tmp_path, {"waitMail": 2}).returncode == 0
    assert done == ["c.1", "c.2", "c.3"]


def test_without_a_daemon_it_says_so(tmp_path: Path) -> None:
    """A script that has to speak and finds nobody fails in one sentence."""
    done = play(tmp_path, {"report": {"output": "x"}})
    assert done.returncode == 1
    assert "no daemon answers" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "it is no JSON"),
        ("[]", 'no list of "steps"'),
        ('{"steps": {}}', 'no list of "steps"'),
        ('{"steps": [1]}', "step 1 must be an object with one key"),
        ('{"steps": [{}]}', "step 1 must be an object with one key"),
        ('{"steps": [{"exit": 0}, {"dance": 1}]}', "step 2: there is no step 'dance'"),
        ('{"steps": [{"endTurn": null}]}', "step 1: endTurn exists inside the daemon alone"),
        ('{"steps": [{"report": "x"}]}', "step 1 (report): its value has the wrong type"),
        ('{"steps": [{"pauseMs": true}]}', "step 1 (pauseMs): its value has the wrong type"),
    ],
)
def test_a_bad_script_is_refused_whole(text: str, words: str) -> None:
    """What is no script for a process says at which step and why, before anything is played."""
    with pytest.raises(BadScript) as caught:
        read_steps(text.encode())
    assert words in str(caught.value)


@pytest.mark.parametrize("words", [[], ["a", "b"], ["/no/such/file"]])
def test_misuse_is_a_usage_error(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """No file, two of them, or one that cannot be read: status 2 and a sentence."""
    assert main(words) == 2
    assert "subsession.scripted: " in capsys.readouterr().err


def test_a_bad_file_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A file that cannot be played is named with what is wrong in it."""
    path = tmp_path / "s.json"
    path.write_text("nonsense")
    assert main([str(path)]) == 2
    assert f"{path} cannot be played: it is no JSON" in capsys.readouterr().err
