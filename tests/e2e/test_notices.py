"""A real daemon tells the person on her desktop, by a program that stands in for it."""

import json
import os
import time
from pathlib import Path

import pytest

from tests.support.daemon import Daemon
from tests.support.desktop import fake_desktop
from tests.support.hire import CONFIG, hire, wait_for

BLOCKED = "subsession report stuck --stage final --outcome blocked --blocker 'missing: <b>{}</b>'"


def told(folder: Path, wanted: int, within_s: float = 25.0) -> list[list[str]]:
    """Wait until so many notices were shown; gives their titles and texts."""
    until = time.monotonic() + within_s
    while True:
        path = folder / "told"
        lines = path.read_text().splitlines() if path.exists() else []
        if len(lines) >= wanted:
            return [json.loads(line)[-2:] for line in lines]
        assert time.monotonic() < until, lines
        time.sleep(0.02)


def configured(notify: str) -> dict[str, str]:
    """Give the configuration with a word for notices."""
    return {**CONFIG, "subsessiond.toml": f'[operator]\nnotify = "{notify}"\n'}


def environ(folder: Path) -> dict[str, str]:
    """Put the stand-in in front of whatever this machine has."""
    return {"PATH": f"{folder}{os.pathsep}{os.environ['PATH']}"}


def test_what_waits_and_what_has_ended_is_told(tmp_path: Path) -> None:
    """A blocked child and the end of the last one are told in one notice, without markup."""
    fake_desktop(tmp_path)
    with Daemon(config=configured("all"), environ=environ(tmp_path)) as daemon:
        root = daemon.call("subsession.open", workspace=str(daemon.workspace), title="work")
        line = BLOCKED.format("key")
        hire(daemon, root["nodeId"], "sh", "-c", line, brief={"title": "docs"})
        ((title, text),) = told(tmp_path, 1)
        assert title == "subsession: waits for you"
        assert text == "docs: missing: ‹b›key‹/b›; all children of work have ended"


@pytest.mark.parametrize("then", ["exit 1", "exec sleep 600"])
def test_no_desktop_keeps_nothing_from_working(tmp_path: Path, then: str) -> None:
    """Where the program fails or hangs, children, queue and the daemon's end are as ever."""
    fake_desktop(tmp_path, then)
    with Daemon(config=configured("blocked"), environ=environ(tmp_path)) as daemon:
        node = hire(daemon, daemon.open(), "sh", "-c", BLOCKED.format("key"))
        told(tmp_path, 1)
        assert wait_for(daemon, node, "released")["outcome"] == "blocked"
        assert len(daemon.call("subsession.blocked")["rows"]) == 1
        assert daemon.stop() == 0


def test_without_the_program_the_log_says_so(tmp_path: Path) -> None:
    """Who asks for notices where nothing can show them is told in the log, once."""
    bare = {"PATH": str(tmp_path)}
    with Daemon(config=configured("blocked"), environ=bare) as daemon:
        assert daemon.said().count("no notices are shown") == 1
