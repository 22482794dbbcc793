"""S26: what an old lock file says is nobody's business; the system's own lock decides."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from subsession.errors import Refused
from tests.support.closing import check_closing
from tests.support.daemon import Daemon

EXIT_FAULT = 70


@pytest.fixture
def stranger() -> Iterator["subprocess.Popen[bytes]"]:
    """A process that has nothing to do with any daemon."""
    process = subprocess.Popen(["sleep", "600"])
    yield process
    process.kill()
    process.wait()


def ended_pid() -> int:
    """Give the number of a process that is gone."""
    process = subprocess.Popen(["true"])
    process.wait()
    return process.pid


def status(daemon: Daemon) -> "subprocess.CompletedProcess[str]":
    """Ask as a person does."""
    command = Path(sys.executable).parent / "subsession"
    environ = {"PATH": os.environ["PATH"], "SUBSESSION_STATE_DIR": str(daemon.state)}
    return subprocess.run(
        [command, "status"], env=environ, capture_output=True, text=True, timeout=20, check=False
    )


@pytest.mark.scenario("S26")
@pytest.mark.parametrize("named", ["stranger", "ended", "one", "tester", "empty", "garbage"])
def test_a_daemon_starts_whatever_an_old_lock_file_says(
    named: str, stranger: "subprocess.Popen[bytes]"
) -> None:
    """A lock file that nobody holds stops nobody, and whoever it names gets no signal."""
    says = {
        "stranger": f"{stranger.pid}\n",
        "ended": f"{ended_pid()}\n",
        "one": "1\n",
        "tester": f"{os.getpid()}\n",
        "empty": "",
        "garbage": "\0\xff no number\n" * 50,
    }[named]
    daemon = Daemon()
    daemon.state.mkdir(mode=0o700)
    (daemon.state / "lock").write_text(says, "utf-8")
    assert status(daemon).returncode != 0
    with daemon:
        assert daemon.process is not None
        assert (daemon.state / "lock").read_text("utf-8") == f"{daemon.process.pid}\n"
        shown = status(daemon)
        assert shown.returncode == 0, shown.stderr
        assert str(daemon.process.pid) in shown.stdout
        assert stranger.poll() is None
        check_closing(daemon)
        assert daemon.stop() == 0
        assert status(daemon).returncode != 0


@pytest.mark.scenario("S26")
def test_a_directory_in_place_of_the_lock_is_refused_in_words() -> None:
    """A directory where the lock file belongs is a clear refusal, and stays as it is."""
    daemon = Daemon()
    with_file = daemon.state / "lock" / "kept"
    with_file.parent.mkdir(parents=True)
    with_file.touch()
    try:
        assert daemon.launch().wait(20) == EXIT_FAULT
        assert f"{daemon.state}/lock is a directory" in daemon.said()
        assert "Traceback" not in daemon.said()
        assert with_file.exists()
    finally:
        daemon.discard()


@pytest.mark.scenario("S26")
def test_a_lock_taken_away_ends_the_daemon_and_not_the_record() -> None:
    """A daemon whose lock file was removed ends with the next call and says so; nothing is lost."""
    with Daemon() as daemon:
        root = daemon.open()
        (daemon.state / "lock").unlink()
        assert daemon.process is not None
        with pytest.raises(Refused, match="STORE_UNAVAILABLE"):
            daemon.open()
        assert daemon.process.wait(20) == EXIT_FAULT
        assert "was removed or replaced while this daemon held it" in daemon.said()
        assert "Traceback" not in daemon.log.read_text("utf-8")
        assert not daemon.socket.exists()
        daemon.start()
        assert list(daemon.rows()) == [root]
        check_closing(daemon)
