"""The `subsession` command against a real daemon that it starts itself."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from subsession.cli import exits
from subsession.start import is_alive


class Shell:
    """A person's terminal in a folder of its own, with a daemon of its own."""

    def __init__(self, folder: Path) -> None:
        # Why a folder for XDG too: nothing may reach a daemon of whoever runs the tests.
        self.state = folder / "state"
        self.workspace = folder / "work"
        self.workspace.mkdir()
        kept = {k: v for k, v in os.environ.items() if not k.startswith(("SUBSESSION_", "XDG_"))}
        self.env = {**kept, "SUBSESSION_STATE_DIR": str(self.state), "XDG_CONFIG_HOME": str(folder)}

    def run(self, *words: str, text: str = "") -> subprocess.CompletedProcess[str]:
        """Type a command and wait for its end."""
        return subprocess.run(
            [sys.executable, "-m", "subsession", *words],
            cwd=self.workspace,
            env=self.env,
            input=text,
            capture_output=True,
            text=True,
            timeout=25,
            check=False,
        )

    def say(self, *words: str) -> str:
        """Type a command that has to succeed and give what it says."""
        done = self.run(*words)
        assert done.returncode == exits.OK, (done.stdout, done.stderr)
        return done.stdout

    def read(self, *words: str) -> dict[str, Any]:
        """Type a command that has to succeed and give its JSON document."""
        found: dict[str, Any] = json.loads(self.say("--json", *words))
        return found


@pytest.fixture
def shell() -> Iterator[Shell]:
    """Give a terminal; its daemon ends with the test."""
    folder = Path(tempfile.mkdtemp(prefix="ssc-"))  # a socket's path has to be short
    found = Shell(folder)
    try:
        yield found
    finally:
        found.run("down")
        shutil.rmtree(folder)


def test_the_daemon_is_started_once_and_ends_when_told(shell: Shell) -> None:
    """Status tells the truth throughout; after down the socket and the process are gone."""
    assert shell.run("status").returncode == exits.UNREACHABLE
    assert not shell.state.exists()
    assert "started: subsessiond" in shell.say("up")
    pid = shell.read("status")["info"]["pid"]
    assert "it already runs" in shell.say("up")
    assert shell.read("status")["info"]["pid"] == pid
    assert shell.read("down") == {"running": False, "stopped": True, "pid": pid}
    assert not (shell.state / "run" / "daemon.sock").exists()
    assert not is_alive(pid)
    assert shell.run("status").returncode == exits.UNREACHABLE


def daemons_on(state: Path) -> set[int]:
    """Give the processes that serve a state directory, or want to."""
    found = set()
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # it has gone meanwhile
            words = (folder / "cmdline").read_bytes().split(b"\0")
            place = f"SUBSESSION_STATE_DIR={state}".encode()
            if b"serve" in words and place in (folder / "environ").read_bytes().split(b"\0"):
                found.add(int(folder.name))
    return found


def test_two_at_once_start_one_daemon(shell: Shell) -> None:
    """Whoever comes second uses the first one's daemon."""
    order = [sys.executable, "-m", "subsession", "--json", "up"]
    both = [
        subprocess.Popen(order, env=shell.env, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        for _ in range(2)
    ]
    said = [json.loads(asking.communicate(timeout=25)[0]) for asking in both]
    assert said[0]["pid"] == said[1]["pid"]
    until = time.monotonic() + 20
    while daemons_on(shell.state) != {said[0]["pid"]}:  # the other's daemon leaves by itself
        assert time.monotonic() < until
        time.sleep(0.02)


def test_a_command_becomes_a_bounded_report(shell: Shell) -> None:
    """What a child prints is waited for, bounded, and shown by every verb that tells of it."""
    done = shell.run("run", "--title", "noise", "--wait", "--", "sh", "-c", "seq 9000; exit 3")
    assert done.returncode == exits.FAILED
    assert "opened root" in done.stderr
    assert "exited with status 3" in done.stdout
    assert len(done.stdout.encode()) < 2_500
    tree = shell.say("tree").splitlines()
    assert "✗ failed" in tree[2]
    assert {len(line) for line in tree[1:3]} == {80}
    view = shell.read("show", "noise")
    assert view["envelope"]["author"] == "runtime"
    mail = shell.read("inbox")["messages"]
    assert [message["source"] for message in mail] == ["subagent-settled"]
    kinds = [
        json.loads(line)["kind"] for line in shell.say("--json", "journal", "noise").splitlines()
    ]
    assert kinds[0] == "admitted"
    assert kinds[-1] == "released"


def test_a_child_speaks_from_its_own_shell(shell: Shell) -> None:
    """Report and checkpoint work without MCP, and a child gets no right of the person."""
    script = """
    subsession report --stage finding 'found it' || exit 90
    subsession checkpoint --phase reading --next-step 'go on' 'half way' || exit 91
    subsession release $SUBSESSION_NODE; [ $? = 3 ] || exit 92
    subsession spawn more; [ $? = 3 ] || exit 93
    printf 'done' | subsession report --stage final --outcome completed
    """
    done = shell.run("run", "--title", "kid", "--wait", "--", "sh", "-c", script)
    assert done.returncode == exits.OK, done.stdout
    assert done.stdout.endswith("said by the child)\n  done\n")
    stages = [message.get("stage") for message in shell.read("inbox")["messages"]]
    assert stages == ["finding", "final"]
    assert "next step: go on" in shell.say("show", "kid")


def test_waiting_for_any_and_for_all(shell: Shell) -> None:
    """Any is done with the first; the rest is stopped by cancel, which says so."""
    shell.say("run", "--title", "short", "--", "true")
    shell.say("run", "--title", "long", "--", "sleep", "60")
    assert shell.run("wait", "--any", "long", "short").returncode == exits.OK
    late = shell.run("wait", "long", "--timeout", "0.2")
    assert late.returncode == exits.TIMEOUT
    assert "still live" in late.stderr
    assert "released" in shell.say("cancel", "long")
    assert shell.run("wait", "short", "long").returncode == exits.CANCELLED


def test_refusals_are_sentences_with_advice(shell: Shell) -> None:
    """What no check lets through starts nothing and says what to do."""
    assert "it would be admitted" in shell.say("run", "--check", "--", "true")
    for words, code, told in [
        (["spawn", "x", "--role", "nobody"], "ROLE_UNKNOWN", "name one of them with --role"),
        (["spawn", "x", "--own", "../x", "--role", "check"], "BRIEF_INVALID", "ownedGlobs[0]"),
        (["show", "../../etc/passwd"], "NOT_FOUND", "subsession tree"),
        (["cancel", "0" * 26], "NOT_FOUND", "subsession tree"),
    ]:
        done = shell.run(*words)
        assert done.returncode == exits.REFUSED
        assert code in done.stderr
        assert told in done.stderr
        assert done.stdout == ""
    assert len(shell.read("tree")["rows"]) == 1  # the root alone


def test_closing_the_root_ends_what_is_below(shell: Shell) -> None:
    """Close takes the folder's root; the next spawn opens another."""
    shell.say("run", "--title", "long", "--", "sleep", "60")
    assert "released" in shell.say("close")
    assert shell.run("wait", "long").returncode == exits.CANCELLED
    assert shell.run("close").returncode == exits.USAGE
    assert "opened root" in shell.run("run", "--", "true").stderr


LIBRARY = "import argparse, http.client, json, subprocess"


def test_the_tree_is_there_at_once(shell: Shell) -> None:
    """The command costs little beside loading the library parts it needs, measured in turns."""
    shell.say("run", "--wait", "--", "true")
    bare, took = [], []
    for _ in range(5):
        began = time.perf_counter()
        subprocess.run([sys.executable, "-c", LIBRARY], check=True, timeout=30)
        bare.append(time.perf_counter() - began)
        began = time.perf_counter()
        shell.say("tree")
        took.append(time.perf_counter() - began)
    # Why four: quiet, it is about twice as long; loading aiohttp alone would be five times.
    assert min(took) < 4 * min(bare), (bare, took)
