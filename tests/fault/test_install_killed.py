"""A person's settings, when what edits them is killed at each step on the disk."""

import itertools
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from subsession.cli import exits, main

KILLED = """
import os, signal, sys
left = int(sys.argv[1])
def hook(event, args):
    global left
    writes = event == "open" and args[2] & (os.O_WRONLY | os.O_RDWR)
    if writes or event in ("os.rename", "os.remove", "os.mkdir", "os.rmdir", "os.chmod"):
        left -= 1
        if left == 0:
            os.kill(os.getpid(), signal.SIGKILL)
sys.addaudithook(hook)
from subsession.cli import main
sys.exit(main(sys.argv[2:]))
"""
"""Runs the command and dies before its Nth step that changes something on the disk."""

BEFORE = b'{\n  // mine\n  "starts": 41\n}\n'
STEPS_MOST = 60
WORDS = ("claude", "--yes", "--json")


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give a home with settings in it."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("SUBSESSION_STATE_DIR", str(tmp_path / "state"))
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    for name in ("CLAUDE_CONFIG_DIR", "SUBSESSION_NODE", "SUBSESSION_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    (tmp_path / ".claude.json").write_bytes(BEFORE)
    return tmp_path


def die_at(step: int, verb: str) -> int:
    """Run the command up to a step; gives its status."""
    program = [sys.executable, "-c", KILLED, str(step), verb, *WORDS]
    return subprocess.run(program, check=False, timeout=20, capture_output=True).returncode


def texts(home: Path) -> tuple[bytes | None, bytes | None]:
    """Give both files of the client; none for one that is not there."""
    places = (home / ".claude.json", home / ".claude" / "settings.json")
    servers, hooks = (place.read_bytes() if place.exists() else None for place in places)
    return servers, hooks


@pytest.mark.timeout(120)  # some twenty runs of the command
@pytest.mark.parametrize("verb", ["install", "uninstall"])
def test_each_file_is_the_old_or_the_new_one(home: Path, verb: str) -> None:
    """Wherever it dies no file is half written, and the next run of either does all its work."""
    assert main(["install", *WORDS]) == exits.OK
    installed = texts(home)
    for step in itertools.count(1):
        assert step < STEPS_MOST
        assert main([("uninstall" if verb == "install" else "install"), *WORDS]) == exits.OK
        status = die_at(step, verb)
        for found, old, new in zip(texts(home), (BEFORE, None), installed, strict=True):
            assert found in (old, new)
        assert main(["install", *WORDS]) == exits.OK
        assert texts(home) == installed
        assert main(["uninstall", *WORDS]) == exits.OK
        assert texts(home) == (BEFORE, None), step
        if status == 0:
            break
        assert status == -signal.SIGKILL
    assert step > 5
