from typing import Any

import pytest
from pydantic import TypeAdapter, ValidationError

from subsessiond.wire import text

NODE = "01hzzzzzzzzzzzzzzzzzzzzzzz"

# What people and agents have tried to pass for a name (S37).
WALKS = ("../../x", "/tmp/x", ".", "..", "a\0b", "a\nb", "x" * 300, "%2e%2e%2f", "")


def accepts(kind: Any, value: object) -> bool:
    """Say whether a kind takes a value."""
    try:
        TypeAdapter(kind, config={"strict": True}).validate_python(value)
    except ValidationError:
        return False
    return True


@pytest.mark.parametrize("kind", [text.NodeIdText, text.MessageIdText, text.RoleName, text.Key])
@pytest.mark.parametrize("name", [*WALKS, "a\ud800", "a\\b"])
def test_names_cannot_walk(kind: Any, name: str) -> None:
    """No kind of name accepts what could leave a folder, break a line or be nothing."""
    assert not accepts(kind, name)


@pytest.mark.parametrize("name", [NODE.upper(), NODE + "\n", NODE[:-1], NODE + "0", "ü" * 26])
def test_a_node_id_has_one_spelling(name: str) -> None:
    """Another letter case, length or a trailing newline is no node id."""
    assert accepts(text.NodeIdText, NODE)
    assert not accepts(text.NodeIdText, name)


@pytest.mark.parametrize("name", [f"{NODE}.0", f"{NODE}.01", f"{NODE}.1\n", NODE, f"{NODE}."])
def test_a_message_id_counts_from_one(name: str) -> None:
    """A message id is a node id and a count without leading zeros."""
    assert accepts(text.MessageIdText, f"{NODE}.1")
    assert not accepts(text.MessageIdText, name)


@pytest.mark.parametrize("name", ["worker", "project/review", "a-b_c.d", "X" * 128])
def test_role_names_people_use_are_accepted(name: str) -> None:
    """Words with dots, dashes and one project prefix are role names."""
    assert accepts(text.RoleName, name)


@pytest.mark.parametrize("key", ["task 1", "6f9619ff-8b86-d011", "ключ", "a" * 128, "v=1:b"])
def test_keys_are_free_but_for_path_signs(key: str) -> None:
    """A key is any one line of text that cannot be part of a path."""
    assert accepts(text.Key, key)


def test_joined_signs_are_text() -> None:
    """A title with an emoji made of several signs is one line of text."""
    assert accepts(text.Title, "👩‍💻 review")
    assert not accepts(text.Title, "red \x1b[31m")


def test_sizes_are_bytes_of_utf8() -> None:
    """A title of 60 two-byte letters fits, one more does not."""
    assert accepts(text.Title, "é" * 60)
    assert not accepts(text.Title, "é" * 61)


@pytest.mark.parametrize("value", [1.0, True, "1", None, -1, 2**53])
def test_numbers_are_strict(value: object) -> None:
    """A count is a JSON integer from 0 to 2^53-1 and nothing like it."""
    assert accepts(text.Count, 2**53 - 1)
    assert not accepts(text.Count, value)


def test_null_is_not_absence() -> None:
    """An optional value may be left out and may not be null."""
    optional: Any = text.Maybe
    assert not accepts(optional[text.Count], None)
