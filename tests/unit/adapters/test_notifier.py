"""Notices by a program: a real one that writes down its words."""

import json
from pathlib import Path

import pytest

from subsessiond.adapters import notifier
from subsessiond.adapters.notifier import DesktopNotifier
from tests.support.desktop import fake_desktop


async def test_its_words_are_words_and_nothing_else(tmp_path: Path) -> None:
    """No shell reads them, and what looks like an option is text."""
    program = fake_desktop(tmp_path)
    text = "$(touch x) `y` --help; 'q' \"p\" *"
    assert await DesktopNotifier(str(program)).notify("--urgency=low", text) == ""
    (words,) = (json.loads(line) for line in (tmp_path / "told").read_text().splitlines())
    assert words == ["--app-name=subsessiond", "--", "--urgency=low", text]


async def test_a_program_that_fails_is_told(tmp_path: Path) -> None:
    """No desktop, no program, or text that no program can take: words, and never an exception."""
    failing = fake_desktop(tmp_path, "exit 3")
    assert (await DesktopNotifier(str(failing)).notify("a", "b")).endswith("ended with 3")
    gone = DesktopNotifier(str(tmp_path / "nothing"))
    assert "cannot be run" in await gone.notify("a", "b")
    assert "cannot be run" in await DesktopNotifier(str(failing)).notify("a", "b\0")


async def test_a_desktop_that_hangs_is_not_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After its time the program is ended."""
    monkeypatch.setattr(notifier, "WITHIN_S", 0.2)
    hanging = fake_desktop(tmp_path, "exec sleep 600")
    assert "took more than 0.2 s" in await DesktopNotifier(str(hanging)).notify("a", "b")
