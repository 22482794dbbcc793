from typing import Any

import pytest

from subsessiond.adapters.runners.jsonl.paths import (
    FOUND_MOST,
    count_at,
    fits,
    found_at,
    text_at,
    texts_at,
)

LINE: dict[str, Any] = {
    "type": "assistant",
    "ok": True,
    "none": None,
    "n": 3,
    "message": {
        "id": "m1",
        "content": [{"type": "text", "text": "a"}, {"type": "tool_use", "id": "t1"}],
    },
}


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("", ()),
        ("type", ("assistant",)),
        ("none", (None,)),
        ("message.id", ("m1",)),
        ("message.content.0.text", ("a",)),
        ("message.content.-1.id", ("t1",)),
        ("message.content.*.type", ("text", "tool_use")),
        ("message.content.*.id", ("t1",)),
        ("message.content.2.id", ()),
        ("message.content.-3.id", ()),
        ("message.content.one.id", ()),
        ("message.content.--1.id", ()),
        ("message.content.².id", ()),
        ("message.*.id", ()),
        ("type.length", ()),
        ("missing.at.all", ()),
    ],
)
def test_a_path_finds_what_stands_there(path: str, found: tuple[Any, ...]) -> None:
    """Words lead into objects, places and `*` into lists; what is not there is not found."""
    assert found_at(LINE, path) == found


def test_a_list_without_end_is_looked_at_so_far() -> None:
    """No more values are given than anybody needs."""
    assert len(found_at({"a": [1] * (FOUND_MOST + 5)}, "a.*")) == FOUND_MOST


@pytest.mark.parametrize(
    ("match", "fit"),
    [
        ((), False),
        ((("type", "assistant"),), True),
        ((("type", "user"),), False),
        ((("type", "user"), ("type", "assistant")), True),
        ((("type", "assistant"), ("message.id", "m2")), False),
        ((("message.content.*.type", "tool_use"),), True),
        ((("ok", "true"), ("none", "null"), ("n", "3")), True),
        ((("message", "*"),), True),
        ((("missing", "*"),), False),
        ((("message", "m1"),), False),
    ],
)
def test_a_match_needs_every_path_and_any_of_its_values(
    match: tuple[tuple[str, str], ...], fit: bool
) -> None:
    """All paths have to fit, of one path any value; no path fits nothing."""
    assert fits(LINE, match) is fit


def test_a_text_is_the_first_that_is_one() -> None:
    """What is no text is passed over, at one path and from path to path."""
    assert text_at(LINE, "n", "message.content.*.text", "type") == "a"
    assert text_at(LINE, "n", "missing") is None
    assert texts_at(LINE, "message.content.*.type") == ("text", "tool_use")


@pytest.mark.parametrize(
    ("value", "count"),
    [(0, 0), (7, 7), (-1, None), (True, None), (1.5, None), ("7", None), (None, None), ([1], None)],
)
def test_a_count_is_a_whole_number(value: Any, count: int | None) -> None:
    """Nothing else is a count, however much it looks like one."""
    assert count_at({"n": value}, "n") == count
