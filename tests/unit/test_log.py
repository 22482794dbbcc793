import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import structlog

from subsessiond import log
from subsessiond.log import LogFile


def read(path: Path) -> list[dict[str, Any]]:
    """Give the lines of a log."""
    return [json.loads(line) for line in path.read_text("utf-8").splitlines() if line]


def test_a_line_is_one_json_object(tmp_path: Path) -> None:
    """Every event is one line with its level, its time and its facts, in a file for its owner."""
    path = tmp_path / "daemon.log"
    with log.writing(path):
        logger = structlog.get_logger("x")
        logger.info("first", n=1, text="two\nlines \ud800")
        try:
            raise ValueError("why")
        except ValueError:
            logger.exception("second")
    first, second = read(path)
    assert (first["event"], first["level"], first["n"]) == ("first", "info", 1)
    assert first["timestamp"].endswith("Z")
    assert second["exception"][0]["exc_value"] == "why"
    assert path.stat().st_mode & 0o777 == 0o600


def test_a_log_goes_on_where_it_was(tmp_path: Path) -> None:
    """A second life of the daemon adds to the log of the first; the file's rights stay."""
    path = tmp_path / "daemon.log"
    for n in range(2):
        with log.writing(path):
            structlog.get_logger().warning("started", n=n)
    assert [line["n"] for line in read(path)] == [0, 1]


def test_nothing_is_open_or_set_afterwards(tmp_path: Path) -> None:
    """After the block the file is closed and loggers are as they were, also after a fault."""
    before = os.listdir("/proc/self/fd")
    with pytest.raises(KeyError), log.writing(tmp_path / "daemon.log"):
        raise KeyError
    assert len(os.listdir("/proc/self/fd")) == len(before)
    assert not structlog.is_configured()


def test_without_a_file_it_is_standard_error(capfd: pytest.CaptureFixture[str]) -> None:
    """In the foreground lines go to standard error, and nothing to standard output."""
    with log.writing(None):
        structlog.get_logger().info("hello")
    out, err = capfd.readouterr()
    assert out == ""
    assert json.loads(err)["event"] == "hello"


def test_without_standard_error_it_is_nowhere(monkeypatch: pytest.MonkeyPatch) -> None:
    """A daemon whose standard error was closed logs to nobody and goes on."""
    monkeypatch.setattr(sys, "stderr", None)
    with log.writing(None):
        structlog.get_logger().info("hello")


def test_a_file_that_cannot_be_opened_is_a_fault(tmp_path: Path) -> None:
    """Where the log cannot be written at all, the start fails and says where."""
    with pytest.raises(OSError, match=r"daemon\.log"), log.writing(tmp_path / "no" / "daemon.log"):
        raise AssertionError


def test_a_full_disk_ends_nobody(capfd: pytest.CaptureFixture[str]) -> None:
    """Writing to a disk that is full loses the line and raises nothing."""
    if not Path("/dev/full").exists():
        pytest.skip("this system has no device that is always full")
    with log.writing(Path("/dev/full")):
        structlog.get_logger().error("lost")
    assert capfd.readouterr() == ("", "")


@pytest.fixture
def pipe() -> Iterator[tuple[int, int]]:
    """Give a pipe that does not block; whoever writes to it is told when it is full."""
    ours, theirs = os.pipe()
    os.set_blocking(theirs, False)
    yield ours, theirs
    os.close(ours)
    os.close(theirs)


def test_lost_lines_are_counted_and_told(pipe: tuple[int, int]) -> None:
    """Once there is room again, the log says how many lines were lost, on lines of their own."""
    ours, theirs = pipe
    while True:
        try:
            os.write(theirs, b"x" * 4_096)
        except BlockingIOError:
            break
    file = LogFile(theirs)
    assert file.write("one\n") == 4
    file.write("two\n")
    file.flush()
    os.set_blocking(ours, False)
    while True:
        try:
            os.read(ours, 65_536)
        except BlockingIOError:
            break
    file.write("three\n")
    file.write("four\n")
    said = os.read(ours, 4_096).decode().split("\n")
    assert said == ["", '{"event":"log lines were lost","lines":2}', "three", "four", ""]


def test_a_traceback_tells_places_and_no_values(tmp_path: Path) -> None:
    """A logged fault names files and lines; what variables held, such as a token, stays out."""

    def fail(token: str) -> None:
        raise ValueError("told " + token[:2])

    path = tmp_path / "daemon.log"
    with log.writing(path):
        try:
            fail("secret")
        except ValueError:
            structlog.get_logger("x").exception("failed")
    assert "secret" not in path.read_text("utf-8")
    ((fault,),) = [line["exception"] for line in read(path)]
    assert (fault["exc_type"], fault["exc_value"]) == ("ValueError", "told se")
    assert [frame["name"] for frame in fault["frames"]][-1] == "fail"
