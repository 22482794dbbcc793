"""What tests of the command line share."""

from pathlib import Path

import pytest


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give a socket's path that the command finds by its environment."""
    for name in ("SUBSESSION_TOKEN", "SUBSESSION_NODE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("SUBSESSION_SOCKET", str(tmp_path / "d.sock"))
    monkeypatch.setenv("SUBSESSION_STATE_DIR", str(tmp_path / "state"))
    return tmp_path / "d.sock"
