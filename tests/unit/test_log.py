"""`log`: lines of JSON, and nobody stopped by a log that cannot be written."""

import json
import os
import resource
from collections.abc import Iterator
from pathlib import Path

import pytest

from subsessiond.log import LogFile


@pytest.fixture
def written(tmp_path: Path) -> Iterator[tuple[LogFile, Path]]:
    """A log on a file of its own."""
    path = tmp_path / "log"
    descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    yield LogFile(descriptor), path
    os.close(descriptor)


def test_a_line_that_cannot_be_written_stops_nobody(written: tuple[LogFile, Path]) -> None:
    """On a full disk lines are lost, and the first that fits again is preceded by their number."""
    log, path = written
    log.write('{"n":1}\n')
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (path.stat().st_size + 4, hard))
    try:
        for _ in range(3):
            log.write('{"n":2}\n')  # the first of them is cut, the others fail
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    log.write('{"n":3}\n')
    lines = path.read_text().splitlines()
    assert lines[1] == '{"n"'
    whole = [json.loads(line) for line in (lines[0], *lines[2:])]
    assert whole == [{"n": 1}, {"event": "log lines were lost", "lines": 3}, {"n": 3}]


def test_any_text_is_written(written: tuple[LogFile, Path]) -> None:
    """What is no valid UTF-8 is spelled out."""
    log, path = written
    log.write("\udc80\n")
    assert path.read_text() == "\\udc80\n"
