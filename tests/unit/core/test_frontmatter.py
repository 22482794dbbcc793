from typing import Any

import pytest

from subsessiond.core.frontmatter import (
    HEAD_LINES,
    FrontMatter,
    NoFrontMatter,
    read_front_matter,
)


def head(*lines: str) -> Any:
    """Read a file with these lines between the dashes."""
    found = read_front_matter("\n".join(("---", *lines, "---", "", "The body.", "")))
    return dict(found.words) if isinstance(found, FrontMatter) else found.why


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        (("name: x",), {"name": "x"}),
        (("a: one: two # three",), {"a": "one: two # three"}),
        (('a: "x\\ny: é"', "b: 'it''s'"), {"a": "x\ny: é", "b": "it's"}),
        (("a: [b, 'c', \"d\"]", "e: []"), {"a": ("b", "c", "d"), "e": ()}),
        (("a:", "  - b", "  - 'c'", "d: e"), {"a": ("b", "c"), "d": "e"}),
        (("a:", "- b", "- c"), {"a": ("b", "c")}),
        (
            ("a: |", "  one", "  two", "b: >-", "  three", "  four"),
            {"a": "one\ntwo", "b": "three four"},
        ),
        (("# nothing", "", "a: b", "  ", "c:"), {"a": "b", "c": ()}),
        (("hooks:", "  PreToolUse:", "    - x: y", "a: b"), {"hooks": None, "a": "b"}),
    ],
)
def test_plain_heads_are_read(lines: tuple[str, ...], words: dict[str, Any]) -> None:
    """Texts, quoted or not, lists in both spellings, blocks; what lies deeper has no value."""
    assert head(*lines) == words


@pytest.mark.parametrize(
    ("lines", "why"),
    [
        (("a: b", "a: c"), "says a twice"),
        (("a: &x b",), "the value of a is no plain text: put it into quotes"),
        (("a: *x",), "the value of a is no plain text: put it into quotes"),
        (("a: !!python/object x",), "the value of a is no plain text: put it into quotes"),
        (("a: {b: c}",), "the value of a is no plain text: put it into quotes"),
        (("a: [[b]]",), "the list of a is none of plain texts on one line"),
        (("a: [b,",), "the list of a is none of plain texts on one line"),
        (("a: b", "  c"), "the value of a goes on in the next line"),
        (("a:", "  - &x b"), "the value of a is no plain text: put it into quotes"),
        (('a: "b',), "the quoted text of a cannot be read"),
        (("a: 'b",), "the quoted text of a has no end"),
        (("just words",), "line 2 of it is no word with a value"),
        (("a: b", "  : c", "<<: *a"), "the value of a goes on in the next line"),
        (("<<: *a",), "line 2 of it is no word with a value"),
    ],
)
def test_what_is_more_is_refused(lines: tuple[str, ...], why: str) -> None:
    """Nothing is guessed: anchors, references, tags and values in values are no plain head."""
    assert head(*lines) == why


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "does not begin with a line of three dashes"),
        ("name: x\n---\n", "does not begin with a line of three dashes"),
        ("---\nname: x\n", "has no second line of three dashes, where its head ends"),
        (
            "---\n" + "#\n" * HEAD_LINES + "---\n",
            "has no second line of three dashes, where its head ends",
        ),
    ],
)
def test_a_file_without_a_head_is_none(text: str, why: str) -> None:
    """The head is the first thing, and it ends."""
    assert read_front_matter(text) == NoFrontMatter(why=why)


def test_the_body_is_all_below() -> None:
    """Without the blanks around it; further dashes are its own, and so are line ends of Windows."""
    found = read_front_matter("\ufeff---\r\na: b\r\n---\r\n\r\none\r\n---\r\ntwo\r\n\r\n")
    assert isinstance(found, FrontMatter)
    assert dict(found.words) == {"a": "b"}
    assert found.body == "one\n---\ntwo"
