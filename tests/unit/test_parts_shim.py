import sys
from pathlib import Path

import pytest

from subsession import shim
from subsessiond import parts


def test_the_shim_is_named_by_where_it_lies() -> None:
    """The daemon's own interpreter, bare; the client's file; the socket."""
    assert parts.shim_command(Path("/run/daemon.sock")) == (
        sys.executable,
        "-I",
        "-S",
        shim.__file__,
        "/run/daemon.sock",
    )


def test_without_the_client_there_is_no_shim(monkeypatch: pytest.MonkeyPatch) -> None:
    """A daemon that was installed alone says what is missing."""
    monkeypatch.setattr(parts, "find_spec", lambda _: None)
    with pytest.raises(FileNotFoundError, match="subsession is not installed"):
        parts.shim_command(Path("/run/daemon.sock"))
