import pytest

from subsessiond.core.scrub.folded import find_folded
from subsessiond.core.scrub.spans import joined, replaced_in_pieces


def scrub(text: str) -> str:
    """Take the values out of a text."""
    return replaced_in_pieces((text,), joined(find_folded(text)))[0]


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("password:\n  pa55", "password:\n  [removed]"),
        ("db:\n  password:\n    pa55\n  name: x", "db:\n  password:\n    [removed]\n  name: x"),
        ("a: 1\r\nsecret:\r\n\tpa55\r\nb: 2", "a: 1\r\nsecret:\r\n\t[removed]\r\nb: 2"),
        ("password: |\n  one two\n  three\nb: 2", "password: |\n  [removed]\nb: 2"),
        ("password: >-\n    one\n    two", "password: >-\n    [removed]"),
        ('"apiKey":\n   "a b",\n"n": 1', '"apiKey":\n   "[removed]",\n"n": 1'),
        ("API_KEY =\n  'a b'", "API_KEY =\n  '[removed]'"),
        ("token:\n  a1b2c3d4e5", "token:\n  [removed]"),
    ],
)
def test_the_value_below_a_name_goes(text: str, left: str) -> None:
    """Its margin, its quotes and the lines behind it stay."""
    assert scrub(text) == left


@pytest.mark.parametrize(
    "text",
    [
        "password:\n  is too short",
        "password:\n  required",
        "password:\nLogin",
        "  password:\n  login",
        "secret:\n  name: x",
        "secret:\n  items:\n    a",
        "secrets:\n  [a, b]",
        "secret:\n  # none",
        "token:\n  word",
        "the keys:\n  a1b2c3d4e5",
    ],
)
def test_what_only_stands_below_stays(text: str) -> None:
    """Sentences, nested tables and lines at the same margin are not the value of the name."""
    assert scrub(text) == text
