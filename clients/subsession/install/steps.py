"""All that is to be done for one client: read, planned, and after a person's word carried out."""

import difflib
import os
import shutil
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from subsession.install import change, files
from subsession.install.change import Edit
from subsession.install.clients import Client, Lines, Scope, Where
from subsession.install.files import Found, Refusal
from subsession.install.jsonc import Unreadable
from subsession.install.record import Made, Record

_SYSTEM_PATH: Final = "/usr/local/bin:/usr/bin:/bin"
"""Where every program looks, one started from a desktop too."""


@dataclass(frozen=True, slots=True)
class Step:
    """What is to be done to one file."""

    found: Found
    lines: tuple[Lines, ...]
    edit: Edit


def plan(lines: Sequence[Lines], state_dir: Path, *, undo: bool) -> tuple[Step, ...]:
    """Read the files of some lines, and say what is to be done to each.

    Args:
        lines: of one client.
        state_dir: where the record is.
        undo: whether they are to go.

    Raises:
        Refusal: a file cannot be read, understood or replaced; then none is to be changed.
    """
    steps = []
    for path in dict.fromkeys(one.file for one in lines):
        mine = tuple(one for one in lines if one.file == path)
        step = _step(files.read(path), mine, state_dir, undo=undo)
        if step.edit.is_change:
            files.check_writable(step.found)
        steps.append(step)
    return tuple(steps)


def carry_out(steps: Sequence[Step], state_dir: Path, *, undo: bool) -> tuple[Path, ...]:
    """Change the files as planned.

    Returns:
        Where what stood there before is kept.

    Raises:
        Refusal: a file is another than the one that was shown, or cannot be written.
    """
    kept = []
    with files.locked(state_dir):
        record = Record(state_dir)
        for step in steps:
            found = files.read(step.found.path)
            now = _step(found, step.lines, state_dir, undo=undo)
            if not now.edit.is_change:
                continue  # another of our kind was faster
            # Why not at any change: an agent that runs writes its file all the time.
            if shown_lines(now.edit) != shown_lines(step.edit):
                raise Refusal(found.path, "has changed meanwhile; run it again")
            backup = _apply(now, record, undo=undo)
            if backup is not None:
                kept.append(backup)
    return tuple(kept)


def shown_lines(edit: Edit) -> list[str]:
    """Give what an edit adds and takes out, line by line, wherever it stands."""
    before, after = ((data or b"").splitlines() for data in (edit.before, edit.after))
    lines = difflib.diff_bytes(difflib.unified_diff, before, after, n=0, lineterm=b"")
    return [line.decode("utf-8", "replace") for line in lines if line[:1] in (b"+", b"-")][2:]


def _step(found: Found, lines: tuple[Lines, ...], state_dir: Path, *, undo: bool) -> Step:
    try:
        if undo:
            made = Record(state_dir).of(found.real)
            edit = change.uninstall(lines, found.data, made)
        else:
            edit = change.install(lines, found.data)
    except Unreadable as fault:
        raise Refusal(found.path, str(fault)) from fault
    return Step(found, lines, edit)


def _apply(step: Step, record: Record, *, undo: bool) -> Path | None:
    found, after = step.found, step.edit.after
    made = record.of(found.real)
    backup = None
    if after is None:
        files.remove(found, made.folders)
    elif undo:
        backup = files.replace(found, after)
    else:
        # Why before the file: who is killed in between has noted what is not there, which does no
        # harm; the other way round an object of ours would pass for the person's.
        planned = made if found.data is not None else Made()
        planned = planned.joined(step.edit.made)
        planned = planned.joined(Made(folders=files.missing_folders(found)))
        record.note(found.real, planned)
        backup = files.replace(found, after)
    if undo:
        record.note(found.real, Made())
    return backup


def state_of(one: Lines) -> str:
    """Tell in a word how some lines stand: a `State`, or `unreadable`."""
    try:
        return change.shown(one, files.read(one.file).data)
    except (Refusal, Unreadable):
        return "unreadable"


def find_client(client: Client, where: Where) -> str:
    """Tell by what a client is seen to be on this machine; empty where it is not."""
    for binary in client.binaries:
        if found := shutil.which(binary, path=where.environ.get("PATH")):
            return found
    folder = client.folder(where)
    return str(folder) if folder.is_dir() else ""


def find_launcher(
    argv: Sequence[str], scope: Scope, system_path: str = _SYSTEM_PATH
) -> tuple[str, ...]:
    """Give the words by which a client starts `subsession`, whatever environment it has itself.

    An absolute path, because an editor that was started from a desktop has not the PATH of a
    shell. Only in the files of a project, which others have too, it is the plain name where every
    program finds it.

    Args:
        argv: how this process was started.
        scope: whose settings it is for.
        system_path: folders that every program looks into.
    """
    script = Path(argv[0] if argv else "")
    beside = Path(sys.executable).with_name("subsession")
    if script.name == beside.name and (found := shutil.which(script)):
        words: tuple[str, ...] = (os.path.abspath(found),)  # noqa: PTH100 -- a link stays a link
    elif beside.exists():
        words = (str(beside),)
    else:
        words = (sys.executable, "-m", "subsession")
    plain = shutil.which("subsession", path=system_path)
    if scope is Scope.PROJECT and plain and len(words) == 1 and _is_same(plain, words[0]):
        words = ("subsession",)
    return words


def _is_same(one: str, other: str) -> bool:
    return os.path.realpath(one) == os.path.realpath(other)
