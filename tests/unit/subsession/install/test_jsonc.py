import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from subsession.install.jsonc import DEEPEST, Unreadable, parse

ANY = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


@given(ANY, st.sampled_from([None, 2, "\t"]))
def test_json_means_what_it_means_elsewhere(value: object, indent: int | str | None) -> None:
    """Whatever is written as JSON is read as the standard library reads it, at its place."""
    text = f" {json.dumps(value, indent=indent)}\n"
    root = parse(text)
    assert root is not None
    assert root.value == value
    assert json.loads(text[root.start : root.end]) == value


def test_comments_and_trailing_commas_mean_nothing() -> None:
    """They are read past wherever white space may stand, and a comma after the last part too."""
    text = '// a\n{ /* b */ "x" /* c */ : [1, 2, /* d */], // "y": 2\n "u": "//no",\n}\n/* e */'
    root = parse(text)
    assert root is not None
    assert root.value == {"x": [1, 2], "u": "//no"}
    assert root.parts is not None
    assert [text[p.start : p.node.end] for p in root.parts] == [
        '"x" /* c */ : [1, 2, /* d */]',
        '"u": "//no"',
    ]
    assert [p.comma is not None for p in root.parts] == [True, True]


def test_nothing_but_comments_is_no_value() -> None:
    """An empty file, and one with comments alone, is not wrong; there is just nothing in it."""
    assert parse("") is None
    assert parse(" \r\n// only\n/* this */ ") is None


@pytest.mark.parametrize(
    ("text", "line", "column", "why"),
    [
        ('{"a": 1\n "b": 2}', 2, 2, "a comma or } is missing here"),
        ("{\r\n  a: 1}", 2, 3, "a name in quotes is missing here"),
        ('{"a" 1}', 1, 6, "a colon is missing here"),
        ('{"a": }', 1, 7, "a value is missing here"),
        ('{"a": [1, 2}', 1, 12, "a comma or ] is missing here"),
        ('{"a": "x\n"}', 1, 7, "a text that does not end"),
        ('{"a": "\\q"}', 1, 7, "a text with an escape that JSON does not know"),
        ('{"a": nan}', 1, 7, "this is no JSON"),
        ('{"a": NaN}', 1, 7, "this is no JSON"),
        ("{} {}", 1, 4, "something stands behind the end"),
        ('{"a": 1, /* x', 1, 10, "a comment that does not end"),
        ('{"a": 1,\n', 2, 1, "the file ends too soon"),
        ('{"a": [1', 1, 9, "the file ends too soon"),
        ("[" * (DEEPEST + 1), 1, DEEPEST + 1, "nested too deep"),
    ],
)
def test_what_is_wrong_is_said_with_its_place(text: str, line: int, column: int, why: str) -> None:
    """A person finds the place by line and column, and is told what was expected there."""
    with pytest.raises(Unreadable) as caught:
        parse(text)
    assert (caught.value.line, caught.value.column) == (line, column)
    assert str(caught.value) == f"line {line}, column {column}: {why}"
