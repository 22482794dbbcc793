import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import structlog

from subsessiond import log
from subsessiond.core.scrub import Scrubber
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


def numbers(path: Path) -> list[int]:
    """Give the numbers of the lines of a log, oldest first, of all its files."""
    files = [Path(f"{path}.{age}") for age in (4, 3, 2, 1)]
    return [line["n"] for file in (*files, path) if file.is_file() for line in read(file)]


def test_a_full_log_makes_room_for_another(tmp_path: Path) -> None:
    """Each file stays within its bound, three old ones are kept, and no line between is lost."""
    path = tmp_path / "daemon.log"
    with log.writing(path, turn_bytes=2_000):
        for n in range(300):
            structlog.get_logger().info("line", n=n)
    names = ["daemon.log", "daemon.log.1", "daemon.log.2", "daemon.log.3"]
    assert sorted(file.name for file in tmp_path.iterdir()) == names
    for file in tmp_path.iterdir():
        assert 0 < file.stat().st_size <= 2_000
        assert file.stat().st_mode & 0o777 == 0o600
    kept = numbers(path)
    assert kept == list(range(kept[0], 300))
    assert len(kept) > 60


def test_a_log_is_turned_where_a_life_before_filled_it(tmp_path: Path) -> None:
    """What earlier lives wrote counts; lives and turns together lose nothing."""
    path = tmp_path / "daemon.log"
    for life in range(8):
        with log.writing(path, turn_bytes=1_000):
            for n in range(5):
                structlog.get_logger().info("line", n=5 * life + n)
    assert path.with_name("daemon.log.1").exists()
    assert numbers(path) == list(range(40))


def test_a_line_longer_than_a_file_is_written_whole(tmp_path: Path) -> None:
    """A very long line begins a file of its own and is not cut."""
    path = tmp_path / "daemon.log"
    with log.writing(path, turn_bytes=1_000):
        for n, text in enumerate(("short", "x" * 5_000, "short")):
            structlog.get_logger().info("line", n=n, text=text)
    assert [line["text"] for line in read(path.with_name("daemon.log.1"))] == ["x" * 5_000]
    assert numbers(path) == [0, 1, 2]


def test_a_log_that_is_a_link_is_turned_where_it_lies(tmp_path: Path) -> None:
    """Who keeps the log elsewhere by a link finds all of its files there."""
    path, kept = tmp_path / "daemon.log", tmp_path / "disk" / "kept.log"
    kept.parent.mkdir()
    path.symlink_to(kept)
    with log.writing(path, turn_bytes=1_000):
        for n in range(15):
            structlog.get_logger().info("line", n=n)
    assert path.is_symlink()
    assert kept.with_name("kept.log.1").exists()
    assert numbers(kept) == list(range(15))


@pytest.mark.parametrize("obstacle", ["daemon.log.new", "daemon.log.3"])
def test_where_no_new_file_can_be_the_old_one_goes_on(tmp_path: Path, obstacle: str) -> None:
    """A log that cannot be turned keeps every line, leaves nothing open, and tries again."""
    path = tmp_path / "daemon.log"
    (tmp_path / obstacle / "in the way").mkdir(parents=True)
    before = os.listdir("/proc/self/fd")
    with log.writing(path, turn_bytes=1_000):
        for n in range(40):
            structlog.get_logger().info("line", n=n)
        assert numbers(path) == list(range(40))
        assert path.stat().st_size > 1_000
        (tmp_path / obstacle / "in the way").rmdir()
        (tmp_path / obstacle).rmdir()
        for n in range(40, 60):
            structlog.get_logger().info("line", n=n)
    assert len(os.listdir("/proc/self/fd")) == len(before)
    assert path.stat().st_size <= 1_000
    assert numbers(path)[-20:] == list(range(40, 60))


ON_A_FULL_DISK = """
import os, resource, structlog, sys
from pathlib import Path
from subsessiond import log
with log.writing(Path(sys.argv[1]), turn_bytes=3_000):
    for n in range(100):
        if n in (30, 60):  # from the 30th to the 60th line no file may grow over 500 bytes
            limit = 500 if n == 30 else resource.RLIM_INFINITY
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))
        structlog.get_logger().info("line", n=n)
"""


def test_a_log_that_may_not_grow_tells_what_it_lost(tmp_path: Path) -> None:
    """Lines without room are lost, and counted; all others are there, in their order."""
    path = tmp_path / "daemon.log"
    subprocess.run([sys.executable, "-c", ON_A_FULL_DISK, str(path)], check=True, timeout=20)
    found, lost = [], 0
    files = [Path(f"{path}.{age}") for age in (3, 2, 1)]
    for file in (*files, path):
        for line in file.read_text("utf-8").splitlines() if file.exists() else ():
            try:
                told = json.loads(line)
            except ValueError:  # cut where the room ended, or empty
                continue
            found += [told["n"]] if told["event"] == "line" else []
            lost += told.get("lines", 0)
    assert found == sorted(set(found))
    assert set(range(30)) | set(range(60, 100)) <= set(found)
    assert lost == 100 - len(found) > 0


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


def test_secrets_are_not_logged(tmp_path: Path) -> None:
    """A line loses them by shape and by value, in texts, in lists, in traces and in what is printed
    of other values; it stays one JSON object.
    """
    path = tmp_path / "daemon.log"
    with log.writing(path, scrub=Scrubber(["horse-battery"]).scrub):
        logger = structlog.get_logger("x")
        many = ["x horse-battery", Path("password=x1")]
        logger.warning("API_KEY=abc", n=1, nothing=None, many=many)
        try:
            raise ValueError("https://me:pw@host/ said: Authorization: Bearer abcdef12")
        except ValueError:
            logger.exception("failed")
    first, second = read(path)
    assert first["event"] == "API_KEY=[removed]"
    assert (first["n"], first["nothing"]) == (1, None)
    assert first["many"] == ["x [removed]", "PosixPath('password=[removed]')"]
    said = second["exception"][0]["exc_value"]
    assert said == "https://me:[removed]@host/ said: Authorization: Bearer [removed]"
