"""Settings as people have them, and what they are with our lines in them, byte for byte."""

import json
from pathlib import Path

import pytest

from subsession.install import change
from subsession.install.clients import CLIENTS, Lines, Scope, Where

FOLDER = Path(__file__).parent / "settings"
CASES = sorted(folder.name for folder in FOLDER.iterdir())
HOME = Path("/home/dev")


def case(name: str) -> tuple[Path, bytes, bytes]:
    """Give a file's path below a home, and its bytes before and after."""
    before = FOLDER / name / "before"
    path = next(one for one in before.rglob("*") if one.is_file()).relative_to(before)
    after = FOLDER / name / "after" / path
    return path, (before / path).read_bytes(), after.read_bytes() if after.exists() else b""


def lines_of(path: Path) -> tuple[Lines, ...]:
    """Give the lines that belong into a file of somebody's home."""
    where = Where(HOME, {}, HOME / "project", ("/home/dev/.local/bin/subsession",), is_mac=False)
    every = (one for client in CLIENTS for one in client.lines(where, Scope.USER))
    # Why not by the whole name: which of two opencode reads depends on the disk.
    wanted = path.with_suffix(".json") if path.suffix == ".jsonc" else path
    return tuple(one for one in every if one.file == HOME / wanted)


@pytest.mark.parametrize("name", CASES)
def test_our_lines_are_added_and_nothing_else_changes(name: str) -> None:
    """Comments, order, indentation, line ends and the mark at the beginning are the person's."""
    path, before, after = case(name)
    edit = change.install(lines_of(path), before)
    assert edit.after == after
    assert not change.install(lines_of(path), after).is_change


@pytest.mark.parametrize("name", CASES)
def test_our_lines_go_without_a_trace(name: str) -> None:
    """What was there before is there again, byte for byte."""
    path, before, after = case(name)
    made = change.install(lines_of(path), before).made
    assert change.uninstall(lines_of(path), after, made).after == before


FILES = [
    pytest.param(
        tuple(one for one in lines if one.file == file), id=f"{client.name}-{scope}-{file.name}"
    )
    for client in CLIENTS
    for scope in Scope
    for lines in (client.lines(Where(HOME, {}, HOME / "project", ("/x/subsession",)), scope),)
    for file in dict.fromkeys(one.file for one in lines)
]


@pytest.mark.parametrize("lines", FILES)
def test_a_file_that_was_not_there_goes_again(lines: tuple[Lines, ...]) -> None:
    """What we made is removed whole, and a second run of either finds nothing to do."""
    edit = change.install(lines, None)
    assert edit.made.file
    assert not change.install(lines, edit.after).is_change
    gone = change.uninstall(lines, edit.after, edit.made)
    assert gone.is_change
    assert gone.after is None
    assert not change.uninstall(lines, None, edit.made).is_change


@pytest.mark.parametrize("lines", [case for case in FILES if "toml" not in str(case.id)])
def test_what_was_written_into_our_file_since_stays(lines: tuple[Lines, ...]) -> None:
    """A file that we made is the person's as soon as something of theirs is in it."""
    edit = change.install(lines, None)
    assert edit.after is not None
    theirs = edit.after.replace(b"{", b'{"theirs": {},', 1)
    left = change.uninstall(lines, theirs, edit.made).after
    assert left is not None
    meant = json.loads(left)
    assert meant.pop("version", 1) == 1
    assert meant == {"theirs": {}}
