"""Where the daemon keeps its things: as the caller says, then the environment, then custom."""

import os
import stat
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from tempfile import gettempdir
from typing import NamedTuple

from subsessiond.ports import ConfigFault

SOCKET_PATH_BYTES = 100
"""Longest socket path; the kernel takes 107 bytes, other systems take less."""


class Places(NamedTuple):
    """Folders and the socket of one daemon, all absolute."""

    state: Path
    config: Path
    socket: Path


def find_places(
    environ: Mapping[str, str],
    state_dir: str | None,
    socket: str | None,
    config_dir: str | None,
) -> Places:
    """Find them in the order in which clients look.

    Raises:
        ConfigFault: a folder that was named is not there, or nobody's home is known.
    """
    named_state = state_dir or environ.get("SUBSESSION_STATE_DIR")
    state = _folder(named_state, environ.get("XDG_STATE_HOME"), ".local/state")
    named_config = config_dir or environ.get("SUBSESSION_CONFIG_DIR")
    config = _folder(named_config, environ.get("XDG_CONFIG_HOME"), ".config")
    if named_config and not config.is_dir():
        raise ConfigFault(str(config), "there is no such folder of configuration files")
    chosen = socket or environ.get("SUBSESSION_SOCKET")
    if chosen:
        return Places(state, config, Path(chosen).absolute())
    runtime = environ.get("XDG_RUNTIME_DIR")
    if named_state or not runtime or not _is_own_folder(runtime):
        return Places(state, config, _short(state / "run" / "daemon.sock"))
    return Places(state, config, _short(Path(runtime) / "subsessiond" / "daemon.sock"))


def _folder(named: str | None, custom: str | None, below_home: str) -> Path:
    if named:
        return Path(named).absolute()
    try:
        return (Path(custom) if custom else Path.home() / below_home).absolute() / "subsessiond"
    except RuntimeError as error:
        raise ConfigFault("no home folder is known and none was named", str(error)) from None


def _is_own_folder(path: str) -> bool:
    """Tell whether a runtime folder can be used; a session without a login has none."""
    try:
        found = Path(path).stat()
    except OSError:
        return False
    return stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid()


def _short(path: Path) -> Path:
    """Give a socket path that fits: its own, or a name made from it in a folder of ours."""
    raw = os.fsencode(path)
    if len(raw) <= SOCKET_PATH_BYTES:
        return path
    folder = Path(gettempdir()) / f"subsessiond-{os.getuid()}"
    return folder / f"{sha256(raw).hexdigest()[:16]}.sock"
