"""`subsession.doctor.programs`."""

import sys
from pathlib import Path

import pytest

from subsession.doctor import programs
from subsession.doctor.programs import version_of


def make(folder: Path, body: str) -> str:
    """Write a program."""
    path = folder / "program"
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o755)
    return str(path)


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ("echo claude 2.1.332 beta", "2.1.332"),
        ("echo 1.18.33-rc.1+g5", "1.18.33-rc.1+g5"),
        ("echo 'nightly build'; echo 9.9.9", "nightly build"),
        ("echo 0.61.0 >&2", "0.61.0"),
        ("exit 3", ""),
        ("true", ""),
        ("printf '\\033[31mred\\n'", "\\x1b[31mred"),
    ],
)
def test_the_number_is_picked_out_of_what_it_says(tmp_path: Path, body: str, told: str) -> None:
    """The first number with a dot in its first line, else that line, made safe."""
    assert version_of(make(tmp_path, body)) == told


def test_one_that_does_not_answer_is_not_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It has no version then; neither has one that cannot be run."""
    monkeypatch.setattr(programs, "LIMIT_S", 0.2)
    assert version_of(make(tmp_path, "exec sleep 60")) == ""
    assert version_of(str(tmp_path / "nothing")) == ""
    assert version_of(sys.executable).count(".") >= 1
