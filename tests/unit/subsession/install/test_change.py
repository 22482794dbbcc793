import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from subsession.install import jsonedit
from subsession.install.change import Edit, State, install, shown, uninstall
from subsession.install.clients import Lines, What
from subsession.install.jsonc import Unreadable
from subsession.install.record import Made
from tests.support.jsontexts import VALUES, documents

SERVER = Lines(
    What.SERVER, Path("/x.json"), ("servers", "subsession"), {"command": "/bin/subsession"}
)
COMMAND = {"type": "command", "command": "/bin/subsession hook stop"}
HOOK = Lines(What.HOOK, Path("/x.json"), ("hooks", "Stop"), {"hooks": [COMMAND]}, is_entry=True)
TABLE = Lines(
    What.SERVER, Path("/x.toml"), ("servers", "subsession"), {"command": "/bin/subsession"}
)


def data(value: Any) -> bytes:
    """Give a document as a file has it."""
    return json.dumps(value, indent=2).encode()


def meant(edit: Edit) -> Any:
    """Give what a file means afterwards."""
    assert edit.after is not None
    return json.loads(edit.after)


def test_the_mark_of_the_encoding_stays() -> None:
    """A file that begins with one does so afterwards, with and without our lines."""
    before = b"\xef\xbb\xbf{\r\n}\r\n"
    edit = install((SERVER,), before)
    assert edit.after is not None
    assert edit.after.startswith(b"\xef\xbb\xbf{\r\n  ")
    back = uninstall((SERVER,), edit.after, edit.made)
    assert back.after == b"\xef\xbb\xbf{}\r\n"


@pytest.mark.parametrize("lines", [SERVER, TABLE])
def test_an_entry_of_another_kind_is_told_apart_and_replaced(lines: Lines) -> None:
    """What stands under our name and is not what we write is different until it was replaced."""
    other = data({"servers": {"subsession": {"command": "else"}, "b": {}}})
    before = b'[servers.subsession]\ncommand = "else"\n' if lines.is_toml else other
    assert shown(lines, before) is State.DIFFERENT
    edit = install((lines,), before)
    assert edit.states == (State.DIFFERENT,)
    assert shown(lines, edit.after) is State.SAME
    assert uninstall((lines,), edit.after, Made()).states == (State.SAME,)


@pytest.mark.parametrize(
    "command",
    [
        "/old/bin/subsession hook stop",
        "'/a b/subsession' hook stop --state-dir /x",
        "subsession hook stop",
        "/v/python -m subsession hook stop",
    ],
)
def test_a_hook_of_ours_is_known_wherever_it_was_installed(command: str) -> None:
    """After a move of the program the old hook is replaced, so that there are never two."""
    before = data({"hooks": {"Stop": [{"hooks": [{"type": "command", "command": command}]}]}})
    edit = install((HOOK,), before)
    assert meant(edit) == {"hooks": {"Stop": [{"hooks": [COMMAND]}]}}
    assert meant(uninstall((HOOK,), before, Made())) == {"hooks": {"Stop": []}}


@pytest.mark.parametrize(
    "command", ["notify-send done", "my-subsession hook stopper", "echo hook stop"]
)
def test_hooks_of_others_are_not_ours(command: str) -> None:
    """A command line that only resembles ours stays, beside ours and after it has gone."""
    theirs = {"hooks": [{"type": "command", "command": command}]}
    edit = install((HOOK,), data({"hooks": {"Stop": [theirs]}}))
    assert meant(edit) == {"hooks": {"Stop": [theirs, {"hooks": [COMMAND]}]}}
    assert meant(uninstall((HOOK,), edit.after, Made())) == {"hooks": {"Stop": [theirs]}}


def test_a_hook_that_was_moved_into_another_group_is_found() -> None:
    """A person who has put it beside a hook of theirs keeps theirs, and nothing is added twice."""
    theirs = {"type": "command", "command": "true"}
    before = data({"hooks": {"Stop": [{"matcher": "", "hooks": [theirs, COMMAND]}]}})
    assert not install((HOOK,), before).is_change
    left = uninstall((HOOK,), before, Made())
    assert meant(left) == {"hooks": {"Stop": [{"matcher": "", "hooks": [theirs]}]}}


def test_a_hook_that_is_there_twice_becomes_one() -> None:
    """Agents run each of them; one is enough."""
    group = {"hooks": [COMMAND]}
    before = data({"hooks": {"Stop": [group, group]}})
    assert shown(HOOK, before) is State.DIFFERENT
    assert meant(install((HOOK,), before)) == {"hooks": {"Stop": [group]}}
    assert meant(uninstall((HOOK,), before, Made())) == {"hooks": {"Stop": []}}


def test_objects_of_the_person_stay_though_they_are_empty() -> None:
    """Only what was made for our lines goes with them."""
    before = data({"servers": {}, "hooks": {"Stop": []}})
    edit = install((SERVER, HOOK), before)
    assert edit.made == Made()
    assert meant(uninstall((SERVER, HOOK), edit.after, edit.made)) == json.loads(before)


def test_an_empty_file_is_empty_again() -> None:
    """It was the person's: it is not removed, and has nothing in it."""
    edit = install((SERVER, HOOK), b"")
    assert uninstall((SERVER, HOOK), edit.after, edit.made).after == b""


@pytest.mark.parametrize(
    ("before", "why"),
    [
        (b'{"a": \xff}', "line 1, column 7: bytes that are no UTF-8"),
        (b'{"servers": 3}', "line 1, column 13: servers should be an object"),
        (b'{"hooks": {"Stop": "x"}}', "line 1, column 20: hooks.Stop should be a list"),
        (b"{", "line 1, column 2: the file ends too soon"),
    ],
)
def test_what_cannot_be_edited_is_refused(before: bytes, why: str) -> None:
    """The place is said, and no bytes come of it."""
    with pytest.raises(Unreadable, match=why):
        install((SERVER, HOOK), before)


def is_settled(value: Any) -> bool:
    """Tell whether our lines find objects and lists where they need them, with something in them.

    Of what is empty the white space inside is not kept.
    """
    servers, hooks = value.get("servers", {"x": 1}), value.get("hooks", {"x": 1})
    stop = hooks.get("Stop", [1]) if isinstance(hooks, dict) else None
    return all(
        isinstance(box, kind) and box
        for box, kind in ((value, dict), (servers, dict), (hooks, dict), (stop, list))
    )


DOCUMENTS = st.dictionaries(
    st.sampled_from(["a", "servers", "hooks", "b"]),
    VALUES | st.dictionaries(st.sampled_from(["Stop", "one"]), st.lists(VALUES, max_size=2)),
)


@given(st.data(), DOCUMENTS.filter(is_settled))
def test_both_lines_come_and_go_to_the_last_byte(data: st.DataObject, value: Any) -> None:
    """Whatever a file holds, what was put in goes, and what was made for it, and nothing else."""
    before = data.draw(documents(value)).encode()
    edit = install((SERVER, HOOK), before)
    assert edit.after is not None
    assert not install((SERVER, HOOK), edit.after).is_change
    assert uninstall((SERVER, HOOK), edit.after, edit.made).after == before


def test_an_edit_that_would_change_something_else_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The file is read again before it is written, and all else has to mean what it did."""

    def careless(text: str, path: tuple[str, ...], value: Any) -> tuple[str, tuple[Any, ...]]:
        return json.dumps({path[0]: {path[1]: value}, "mine": 2}), ()

    monkeypatch.setattr(jsonedit, "put", careless)
    with pytest.raises(Unreadable, match="edited by hand"):
        install((SERVER,), b'{"mine": 1}')
    assert install((SERVER,), b'{"mine": 2}').is_change
