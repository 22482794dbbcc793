import json
import sys
from pathlib import Path

import pytest

from subsession.install import files
from subsession.install.clients import CLIENTS, Lines, Scope, What, Where
from subsession.install.files import Refusal
from subsession.install.record import NAME, Made, Record
from subsession.install.steps import (
    carry_out,
    find_client,
    find_launcher,
    plan,
    state_of,
)

OURS = {"command": "/bin/subsession"}


def lines(folder: Path, name: str = "x.json") -> tuple[Lines, ...]:
    """Give lines for one file."""
    return (Lines(What.SERVER, folder / name, ("servers", "subsession"), OURS),)


def do(wanted: tuple[Lines, ...], state: Path, *, undo: bool = False) -> tuple[Path, ...]:
    """Plan and carry out."""
    return carry_out(plan(wanted, state, undo=undo), state, undo=undo)


def test_a_file_comes_and_goes_with_its_folders(tmp_path: Path) -> None:
    """What was made is written down, and forgotten when it is gone again."""
    mine, state = lines(tmp_path / "a" / "b"), tmp_path / "state"
    assert do(mine, state) == ()
    assert state_of(mine[0]) == "installed"
    assert not plan(mine, state, undo=False)[0].edit.is_change
    do(mine, state, undo=True)
    assert not (tmp_path / "a").exists()
    assert json.loads((state / NAME).read_text()) == {}


def test_an_older_file_is_as_it_was_to_the_byte(tmp_path: Path) -> None:
    """The objects that were made go, those that were there stay; each time the old is kept."""
    path, state = tmp_path / "x.json", tmp_path / "state"
    before = b'{\n "a": 1 // mine\n}'
    path.write_bytes(before)
    assert [one.read_bytes() for one in do(lines(tmp_path), state)] == [before]
    do(lines(tmp_path), state, undo=True)
    assert path.read_bytes() == before


def test_a_second_run_forgets_nothing_of_the_first(tmp_path: Path) -> None:
    """Another path of the program replaces the entry; what the first run made is still known."""
    state = tmp_path / "state"
    do(lines(tmp_path), state)
    moved = (Lines(What.SERVER, tmp_path / "x.json", ("servers", "subsession"), {"command": "n"}),)
    do(moved, state)
    do(moved, state, undo=True)
    assert not (tmp_path / "x.json").exists()


def test_a_file_whose_edit_would_be_another_is_left(tmp_path: Path) -> None:
    """What a person has not seen is not written over: here another entry under our name."""
    path, state = tmp_path / "x.json", tmp_path / "state"
    planned = plan(lines(tmp_path), state, undo=False)
    theirs = b'{"servers": {"subsession": {"command": "theirs"}}}'
    path.write_bytes(theirs)
    with pytest.raises(Refusal, match="has changed meanwhile"):
        carry_out(planned, state, undo=False)
    assert path.read_bytes() == theirs
    assert Record(state).of(path) == Made()


def test_a_file_that_changed_elsewhere_gets_what_was_shown(tmp_path: Path) -> None:
    """An agent that runs writes its own file meanwhile; what it wrote stays, and ours is added."""
    path, state = tmp_path / "x.json", tmp_path / "state"
    path.write_bytes(b'{\n  "starts": 1,\n  "servers": {}\n}\n')
    planned = plan(lines(tmp_path), state, undo=False)
    path.write_bytes(b'{\n  "starts": 2,\n  "new": 3,\n  "servers": {}\n}\n')
    carry_out(planned, state, undo=False)
    assert json.loads(path.read_bytes()) == {
        "starts": 2,
        "new": 3,
        "servers": {"subsession": OURS},
    }


def test_two_that_want_the_same_are_both_done(tmp_path: Path) -> None:
    """Who comes second finds it there, and changes nothing."""
    state = tmp_path / "state"
    first, second = (plan(lines(tmp_path), state, undo=False) for _ in range(2))
    carry_out(first, state, undo=False)
    written = (tmp_path / "x.json").read_bytes()
    assert carry_out(second, state, undo=False) == ()
    assert (tmp_path / "x.json").read_bytes() == written
    assert Record(state).of(tmp_path / "x.json").file


def test_who_is_stopped_before_the_file_leaves_a_record_that_does_no_harm(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is noted that there was no file; one that the person makes then is nevertheless theirs."""
    path, state = tmp_path / "x.json", tmp_path / "state"

    def stop(*_: object) -> None:
        raise Refusal(path, "stopped here")

    with monkeypatch.context() as patched:
        patched.setattr(files, "replace", stop)
        with pytest.raises(Refusal, match="stopped"):
            do(lines(tmp_path), state)
    path.write_bytes(b'{\n  "mine": 1\n}')
    do(lines(tmp_path), state)
    do(lines(tmp_path), state, undo=True)
    assert path.read_bytes() == b'{\n  "mine": 1\n}'


def test_one_bad_file_stops_all_of_a_client(tmp_path: Path) -> None:
    """Nothing is planned, so nothing is half installed; the message has the file and the place."""
    (tmp_path / "b.json").write_bytes(b"{,}")
    both = (*lines(tmp_path, "a.json"), *lines(tmp_path, "b.json"))
    with pytest.raises(Refusal, match=r"b\.json: line 1, column 2: a name in quotes is missing"):
        plan(both, tmp_path / "state", undo=False)
    assert state_of(both[1]) == "unreadable"
    assert not (tmp_path / "a.json").exists()


def test_a_client_is_found_by_its_program_or_its_folder(tmp_path: Path) -> None:
    """A program on the PATH says more than a folder that was left behind."""
    client = CLIENTS[0]
    where = Where(tmp_path, {"PATH": str(tmp_path / "bin")}, tmp_path, ("subsession",))
    assert find_client(client, where) == ""
    (tmp_path / ".claude").mkdir()
    assert find_client(client, where) == str(tmp_path / ".claude")
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "claude").touch(0o755)
    assert find_client(client, where) == str(tmp_path / "bin" / "claude")


def test_the_launcher_works_without_any_environment(tmp_path: Path) -> None:
    """It is the absolute path by which we were started, a link to it not resolved."""
    real, link = tmp_path / "real" / "subsession", tmp_path / "bin" / "subsession"
    for folder in (real.parent, link.parent):
        folder.mkdir()
    real.touch(0o755)
    link.symlink_to(real)
    assert find_launcher([str(link)], Scope.USER, str(link.parent)) == (str(link),)
    beside = Path(sys.executable).with_name("subsession")
    assert find_launcher(["/x/__main__.py"], Scope.USER) == (str(beside),)


def test_in_a_project_the_launcher_is_a_name_where_that_works_for_all(tmp_path: Path) -> None:
    """Where each program finds this very one by its name; else the path, which only we have."""
    real, link = tmp_path / "real" / "subsession", tmp_path / "bin" / "subsession"
    for folder in (real.parent, link.parent):
        folder.mkdir()
    real.touch(0o755)
    link.symlink_to(real)
    assert find_launcher([str(real)], Scope.PROJECT, str(link.parent)) == ("subsession",)
    assert find_launcher([str(real)], Scope.PROJECT, "/nowhere") == (str(real),)
    link.unlink()
    link.touch(0o755)
    assert find_launcher([str(real)], Scope.PROJECT, str(link.parent)) == (str(real),)
