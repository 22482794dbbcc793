"""`subsessiond install-service`: a unit for the system's service manager, shown and written."""

import argparse
import difflib
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple
from xml.sax.saxutils import escape

from subsessiond.cli.exits import DIFFERS, DONE, Ended, faults_told
from subsessiond.settings import default_text

_SYSTEMD_COMMAND = "%h/.local/bin/subsessiond serve --foreground"
_LAUNCHD_COMMAND = "<string>/usr/local/bin/subsessiond</string><string>serve</string>"


class Unit(NamedTuple):
    """A unit: what it says, where it belongs, and what starts it."""

    path: Path
    text: str
    then: tuple[str, ...]


def install_service(options: argparse.Namespace) -> int:
    """Show the unit, and write it unless it is there already."""
    unit = unit_of(options, os.environ, sys.platform)
    if options.print:
        print(unit.text, end="")
        return DONE
    try:
        with faults_told():
            return _install(unit, replace=options.replace)
    except Ended as ended:
        return ended.status


def unit_of(options: argparse.Namespace, environ: Mapping[str, str], platform: str) -> Unit:
    """Make the unit for this system, or for the one that was asked for."""
    command = daemon_command(options)
    kind = options.kind or ("launchd" if platform == "darwin" else "systemd")
    if kind == "launchd":
        folder = Path(options.folder or Path.home() / "Library" / "LaunchAgents")
        path = folder / "subsessiond.plist"
        words = "".join(f"<string>{escape(word)}</string>" for word in command)
        text = default_text(path.name).replace(_LAUNCHD_COMMAND, words)
        return Unit(path, text, (f"launchctl load -w {path}",))
    config = Path(environ.get("XDG_CONFIG_HOME") or Path.home() / ".config")
    folder = Path(options.folder or config / "systemd" / "user")
    path = folder / "subsessiond.service"
    words = " ".join(_quoted(word) for word in (*command, "--foreground"))
    text = default_text(path.name).replace(_SYSTEMD_COMMAND, words)
    then = ("systemctl --user daemon-reload", "systemctl --user enable --now subsessiond")
    return Unit(path, text, then)


def daemon_command(options: argparse.Namespace) -> tuple[str, ...]:
    """Give the command line of this very installation, with the places that were named."""
    program = Path(sys.executable).parent / "subsessiond"
    start = (str(program),) if program.is_file() else (sys.executable, "-m", "subsessiond")
    named = {
        "--state-dir": options.state_dir,
        "--socket": options.socket,
        "--config-dir": options.config_dir,
    }
    given = {word: value for word, value in named.items() if value}
    return (
        *start,
        "serve",
        *(part for word, value in given.items() for part in (word, str(Path(value).absolute()))),
    )


def _quoted(word: str) -> str:
    """Spell a word for systemd, which reads %, $, quotes and backslashes."""
    for sign, spelled in (("\\", "\\\\"), ('"', '\\"'), ("%", "%%"), ("$", "$$")):
        word = word.replace(sign, spelled)
    return f'"{word}"'


def _install(unit: Unit, *, replace: bool) -> int:
    there = unit.path.read_text("utf-8") if unit.path.is_file() else None
    if there == unit.text:
        print(f"{unit.path} is current; nothing was written")
        return DONE
    if there is not None:
        shown = difflib.unified_diff(
            there.splitlines(), unit.text.splitlines(), "it says", "it would say", lineterm=""
        )
        print("\n".join(shown))
        if not replace:
            print(f"{unit.path} says something else; --replace writes it anew", file=sys.stderr)
            return DIFFERS
    else:
        print(unit.text, end="")
    _write(unit)
    print(f"\n{unit.path} was written; now run:")
    for line in unit.then:
        print(f"  {line}")
    return DONE


def _write(unit: Unit) -> None:
    """Put the file in place, whole or not at all."""
    unit.path.parent.mkdir(parents=True, exist_ok=True)
    fresh = unit.path.with_suffix(f".{os.getpid()}.new")
    try:
        fresh.write_text(unit.text, "utf-8")
        fresh.replace(unit.path)
    finally:
        fresh.unlink(missing_ok=True)
