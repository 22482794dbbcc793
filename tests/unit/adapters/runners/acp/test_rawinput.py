from typing import Any

import pytest

from subsessiond.adapters.runners.acp.rawinput import input_paths, server_tool_of


@pytest.mark.parametrize(
    ("said", "paths"),
    [
        ({"file_path": "a", "content": "b"}, ["a"]),
        ({"filePath": "a", "uri": "file:///b"}, ["a", "b"]),
        ({"paths": ["a", {"path": "b"}, 3, {"other": "c"}]}, ["a", "b"]),
        ({"changes": {"a": {"type": "add"}, "b": {}}}, ["a", "b"]),
        ({"edits": [{"filePath": "a", "oldString": "path"}]}, ["a"]),
        (
            {"patchText": "*** Begin Patch\n*** Update File: a b\n*** Move to: c\n+x"},
            ["a b", "c"],
        ),
        ({"path": 3, "paths": "x", "files": 4}, []),
        ({"from": "a", "to": "b", "command": "cat path"}, []),
    ],
)
def test_files_are_found_by_the_words_for_them(said: dict[str, Any], paths: list[str]) -> None:
    """Many words for one thing; what is no text is no path."""
    found = list(input_paths(said, moves=False))
    assert [path.removeprefix("file:///") for path in found] == paths


def test_a_move_has_two_files() -> None:
    """Where something is moved, whence and whither are files too."""
    said = {"from": "a", "to": "b", "edits": [{"source": "c"}]}
    assert list(input_paths(said, moves=True)) == ["a", "b", "c"]


@pytest.mark.parametrize(
    ("said", "found"),
    [
        ({"server": "s", "tool": "t"}, ("s", "t")),
        ({"serverName": "s", "toolName": "t"}, ("s", "t")),
        ({"server": "s"}, None),
        ({"server": 1, "tool": "t"}, None),
        ({}, None),
    ],
)
def test_server_and_tool_are_there_together_or_not(
    said: dict[str, Any], found: tuple[str, str] | None
) -> None:
    """Half a name is none."""
    assert server_tool_of(said) == found
