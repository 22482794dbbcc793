from typing import Any

import pytest

from subsessiond.adapters.runners.acp.rawinput import PATH_BYTES
from subsessiond.adapters.runners.acp.toolcalls import (
    CALLS_MOST,
    NAMES_MOST,
    PATHS_BYTES,
    PATHS_MOST,
    ToolCalls,
)


def test_what_was_said_of_a_call_is_joined() -> None:
    """A request with nothing but the id has the names, kinds and files of what came before it."""
    calls = ToolCalls()
    calls.note({"toolCallId": "1", "title": "Preparing…", "kind": "edit", "rawInput": {}})
    calls.note({"toolCallId": "1", "name": "Write", "rawInput": {"file_path": "docs/a"}})
    calls.note({"toolCallId": "1", "locations": [{"path": "docs/b"}, {"line": 1}, 3]})
    calls.note({"toolCallId": "1", "content": [{"type": "diff", "path": "docs/c"}]})
    calls.note({"toolCallId": "2", "title": "other"})
    call = calls.note({"toolCallId": "1"})
    assert call.names == ["Preparing…", "Write"]
    assert call.title == "Write"
    assert call.kinds == ["edit"]
    assert call.paths() == ("docs/b", "docs/c", "docs/a")


def test_the_newest_files_count() -> None:
    """A name streamed by halves does not stay; what says nothing takes nothing back."""
    calls = ToolCalls()
    calls.note({"toolCallId": "1", "rawInput": {"path": "doc"}})
    calls.note({"toolCallId": "1", "rawInput": {"path": "docs/a", "content": "x"}})
    calls.note({"toolCallId": "1", "rawInput": {}, "locations": [], "content": [{"type": "text"}]})
    assert calls.note({"toolCallId": "1"}).paths() == ("docs/a",)


def test_a_move_is_known_by_its_kind() -> None:
    """Once a call is a move, both of its files count."""
    call = ToolCalls().note({"kind": "move", "rawInput": {"from": "a", "to": "b"}})
    assert call.paths() == ("a", "b")


@pytest.mark.parametrize(
    ("status", "is_open"),
    [
        ("pending", True),
        ("in_progress", True),
        ("completed", False),
        ("failed", False),
        ("x", False),
    ],
)
def test_a_call_is_open_until_it_ends(status: str, is_open: bool) -> None:
    """An ended call, in whatever way, is not open; nor is any once the turn is over."""
    calls = ToolCalls()
    calls.note({"toolCallId": "1"})
    assert calls.any_open is True
    calls.note({"toolCallId": "1", "status": status})
    assert calls.any_open is is_open
    calls.end_all()
    assert calls.any_open is False


@pytest.mark.parametrize("call_id", [None, 5, "x" * 5_000, []])
def test_a_call_without_an_id_is_joined_with_nothing(call_id: Any) -> None:
    """What cannot be told apart is not mixed up."""
    calls = ToolCalls()
    calls.note({"toolCallId": call_id, "title": "one"})
    assert calls.note({"toolCallId": call_id, "title": "two"}).names == ["two"]
    assert not calls.any_open


def test_all_of_it_is_bounded() -> None:
    """Calls, names and paths without end are cut; of names the first and the newest stay."""
    calls = ToolCalls()
    calls.note({"toolCallId": "open"})
    for n in range(CALLS_MOST + 10):
        calls.note({"toolCallId": str(n), "status": "completed", "title": "t"})
    assert calls.note({"toolCallId": "0"}).names == []
    assert calls.any_open
    call = ToolCalls().note({})
    for n in range(100):
        call.note({"title": f"name {n}"})
    assert len(call.names) == NAMES_MOST
    assert (call.names[0], call.title) == ("name 0", "name 99")
    call.note({"rawInput": {"paths": [str(n) for n in range(10_000)]}})
    assert len(call.paths()) == PATHS_MOST + 1
    call.note({"rawInput": {"path": "x" * (PATH_BYTES + 1)}})
    assert call.paths() == ("",)


def test_paths_take_no_more_than_their_room() -> None:
    """Two hundred paths as long as any may be would be a megabyte a call: it is not granted."""
    call = ToolCalls().note({"locations": [{"path": f"{n}{'x' * 4_000}"} for n in range(200)]})
    assert sum(map(len, call.paths())) <= PATHS_BYTES
    assert call.paths()[-1] == ""
    call.note({"locations": [{"path": "same"}] * 100_000})
    assert call.paths() == ("same",)


def test_where_only_open_calls_are_the_oldest_is_forgotten() -> None:
    """An agent that ends no call is remembered by its newest ones."""
    calls = ToolCalls()
    for n in range(CALLS_MOST + 1):
        calls.note({"toolCallId": str(n), "title": "t"})
    assert calls.note({"toolCallId": str(CALLS_MOST)}).names == ["t"]
    assert calls.note({"toolCallId": "0"}).names == []


def test_words_that_are_no_words_are_left_out() -> None:
    """Titles and kinds of other types, or blank, say nothing."""
    call = ToolCalls().note({"title": 3, "name": " ", "kind": None, "status": 1, "rawInput": "x"})
    assert (call.names, call.kinds, call.title, call.is_open) == ([], [], "", True)
