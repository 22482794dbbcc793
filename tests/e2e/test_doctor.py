"""`subsession doctor` on a real daemon, and with a program that is no agent."""

import json
import os
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from subsession.cli import exits
from tests.support.closing import within
from tests.support.daemon import Daemon

BROKEN = """\
[tiers]
worker = "pi-mine"

[agents.pi-mine]
runner = "acp"
command = ["{program}", "--acp"]

[agents.elsewhere]
runner = "acp"
command = ["nowhere-at-all"]
"""


def run(daemon: Daemon, *words: str) -> subprocess.CompletedProcess[str]:
    """Type the command beside a daemon."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith("SUBSESSION_")}
    places = {"SUBSESSION_STATE_DIR": daemon.state, "SUBSESSION_CONFIG_DIR": daemon.config}
    return subprocess.run(
        [sys.executable, "-m", "subsession", *words],
        env=kept | {name: str(path) for name, path in places.items()},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def looked(daemon: Daemon, *words: str) -> tuple[int, dict[str, Any]]:
    """Give the exit code and what was found, the last word on each thing."""
    done = run(daemon, "--json", "doctor", *words)
    return done.returncode, {one["what"]: one for one in json.loads(done.stdout)}


@pytest.fixture
def program(tmp_path: Path) -> Path:
    """Write a program with the name of an agent that knows no such option."""
    path = tmp_path / "pi"
    path.write_text(
        '#!/bin/sh\n[ "$1" = --version ] && echo 4.2.0 && exit\necho "no option $1" >&2\nexit 3\n'
    )
    path.chmod(0o755)
    return path


def test_a_person_is_told_how_everything_stands() -> None:
    """Nothing is broken as shipped; what could be had comes with what to do."""
    with Daemon() as daemon:
        code, found = looked(daemon)
        assert code == exits.OK
        assert {"daemon", "socket", "containers", "configuration", "roles"} <= set(found)
        assert "worker" in found["roles"]["said"]
        assert str(daemon.config / "agents.toml") in found["roles"]["next"]
        told = run(daemon, "doctor").stdout
        assert all(name in told for name in found)
        wide = [line for line in told.splitlines() if len(line) > 80]
        assert all(" " not in line.strip() or "/" in line for line in wide), (
            "only paths may be wide"
        )


def test_an_agent_that_is_not_one_is_found_out(program: Path) -> None:
    """It has a version and serves a role; tried, it says what its program said."""
    tables = {"agents.toml": BROKEN.format(program=program)}
    with Daemon(config=tables) as daemon:
        code, found = looked(daemon)
        assert code == exits.OK
        assert found["pi-mine"]["said"] == f"4.2.0, {program}"
        assert "elsewhere" in found["not here"]["said"]
        code, found = looked(daemon, "--probe")
        assert code == exits.FAILED
        assert "never asked its model" in found["pi-mine"]["said"]
        assert "no option --acp" in found["pi-mine"]["said"]
        with daemon.client() as client:
            assert client.counts()["nodes"] == 0, "the trial was the user's daemon's"
        assert not list(daemon.state.glob("trial-*"))


def told_of(folder: Path) -> list[int]:
    """Find every process that was started with a trial's folder in its environment."""
    found = []
    for place in Path("/proc").glob("[0-9]*/environ"):
        with suppress(OSError):
            if f"{folder}/trial-".encode() in place.read_bytes():
                found.append(int(place.parent.name))
    return found


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL])
def test_a_trial_that_is_cut_off_leaves_nothing(program: Path, number: int) -> None:
    """It ends what it began; where it was killed, whoever tries next does so."""
    program.write_text('#!/bin/sh\n[ "$1" = --version ] && echo 4.2.0 && exit\nexec sleep 300\n')
    with Daemon(config={"agents.toml": BROKEN.format(program=program)}) as daemon:
        words = [sys.executable, "-m", "subsession", "--state-dir", str(daemon.state), "doctor"]
        with subprocess.Popen(
            [*words, "--probe", "pi-mine"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
        ) as trying:
            within(lambda: not list(daemon.state.glob("trial-*/state/run/daemon.sock")), "none", 30)
            trying.send_signal(number)
            trying.communicate(timeout=60)
        assert trying.returncode != exits.OK
        if number == signal.SIGKILL:
            assert told_of(daemon.state)
            run(daemon, "doctor", "--probe", "pi-mine", "--timeout", "1")
        assert list(daemon.state.glob("trial-*")) == []
        within(lambda: told_of(daemon.state), "processes of a trial")


def test_one_that_serves_and_is_gone_is_broken(program: Path) -> None:
    """Its role can not be hired for, whatever else is well."""
    tables = {"agents.toml": BROKEN.format(program=program)}
    program.unlink()
    with Daemon(config=tables) as daemon:
        code, found = looked(daemon)
        assert code == exits.FAILED
        assert "there is no program" in found["pi-mine"]["said"]


@pytest.mark.parametrize(
    ("name", "told"),
    [("nobody", "there is no agent 'nobody'"), ("elsewhere", "is not known how")],
)
def test_what_cannot_be_tried_is_a_plain_answer(program: Path, name: str, told: str) -> None:
    """Before anything is started."""
    with Daemon(config={"agents.toml": BROKEN.format(program=program)}) as daemon:
        done = run(daemon, "doctor", "--probe", name)
        assert done.returncode == exits.USAGE
        assert told in done.stderr
