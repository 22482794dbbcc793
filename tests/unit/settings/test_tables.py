from collections.abc import Callable
from enum import StrEnum
from typing import Any

import pytest

from subsessiond.ports import ConfigFault
from subsessiond.settings.tables import LARGEST, LIST_MOST, TEXT_MOST, Table


class Fruit(StrEnum):
    """Two words."""

    APPLE = "apple"
    PEAR = "pear"


def row(**words: Any) -> Table:
    """Make a table `[t]` of a file."""
    return Table("f.toml", "t", words)


def test_values_are_read_or_stand_for_themselves() -> None:
    """Each kind of value comes out as it stands, or as its default."""
    table = row(n=0, b=True, s="text", c="pear", l=["a", "b"], u="unlimited")
    assert (table.whole("n", 5), table.whole("m", 5)) == (0, 5)
    assert table.flag("b", default=False) is True
    assert table.flag("d", default=True) is True
    assert (table.text("s"), table.text("x", "y")) == ("text", "y")
    assert table.choice("c", Fruit, Fruit.APPLE) is Fruit.PEAR
    assert table.choice("k", Fruit, Fruit.APPLE) is Fruit.APPLE
    assert (table.texts("l"), table.texts("none")) == (("a", "b"), ())
    assert table.whole_or_unlimited("u", 5) is None
    assert table.whole_or_unlimited("n", None) == 0
    assert table.whole_or_unlimited("m", None) is None
    assert table.whole_or_unlimited("m", 7) == 7
    assert table.words() == ("b", "c", "l", "n", "s", "u")
    assert table.has("n")
    assert not table.has("m")


@pytest.mark.parametrize(
    ("value", "read", "words"),
    [
        (-1, lambda t: t.whole("w", 0), "must be a whole number, 0 or more"),
        (True, lambda t: t.whole("w", 0), "must be a whole number"),
        (1.5, lambda t: t.whole("w", 0), "must be a whole number"),
        ("1", lambda t: t.whole("w", 0), "must be a whole number"),
        (LARGEST + 1, lambda t: t.whole("w", 0), "must be a whole number"),
        (9, lambda t: t.whole("w", 0, least=1, most=8), "from 1 to 8"),
        ("unlimited", lambda t: t.whole("w", 0), "must be a whole number"),
        ("endless", lambda t: t.whole_or_unlimited("w", 0), "must be a whole number"),
        (1, lambda t: t.flag("w", default=False), "must be true or false"),
        ("yes", lambda t: t.flag("w", default=False), "must be true or false"),
        (1, lambda t: t.text("w"), "must be text"),
        ("a\0b", lambda t: t.text("w"), "without NUL"),
        ("x" * (TEXT_MOST + 1), lambda t: t.text("w"), f"at most {TEXT_MOST} bytes"),
        ("kiwi", lambda t: t.choice("w", Fruit, Fruit.PEAR), "must be one of apple, pear"),
        ("a", lambda t: t.texts("w"), "must be a list"),
        ([1], lambda t: t.texts("w"), "must be text"),
        (["a"] * (LIST_MOST + 1), lambda t: t.texts("w"), f"at most {LIST_MOST} texts"),
        (["a", "b", "a"], lambda t: t.once("w"), "'a' stands there twice"),
        ("a b", lambda t: t.name("w"), "a name has 1 to 40"),
        ("", lambda t: t.name("w"), "a name has 1 to 40"),
    ],
)
def test_a_bad_value_names_file_table_and_word(
    value: object, read: Callable[[Table], object], words: str
) -> None:
    """What is wrong is said with the file, the table, the word and what would be right."""
    with pytest.raises(ConfigFault) as caught:
        read(row(w=value))
    assert str(caught.value).startswith("f.toml: [t] w: ")
    assert words in str(caught.value)


def test_what_must_be_there_is_missed() -> None:
    """A text without a default that is left out is a fault."""
    with pytest.raises(ConfigFault, match=r"f.toml: \[t\] w: is missing"):
        row().text("w")


def test_unknown_words_are_loud() -> None:
    """A word nobody reads is refused, with those that are known."""
    row(a=1).only(("a", "b"))
    with pytest.raises(ConfigFault, match=r"f.toml: \[t\] c: there is no such word.* a, b"):
        row(c=1).only(("b", "a"))


def test_what_is_no_table_is_refused() -> None:
    """A value where a table belongs is a fault; one that is left out is empty."""
    assert row().table("x").words() == ()
    with pytest.raises(ConfigFault, match=r"f.toml: \[t.x\]: must be a table"):
        row(x=1).table("x")
    with pytest.raises(ConfigFault, match=r"f.toml: \[x\]: must be a table"):
        Table("f.toml", "", {"x": []}).table("x")


@pytest.mark.parametrize("name", ["", " ", "a b", "-a", ".a", "é", "a/b", "a\nb", "x" * 41])
def test_names_are_bounded_and_plain(name: str) -> None:
    """A name that could break a line, a path or a table is refused, and never shown raw."""
    with pytest.raises(ConfigFault, match="a name has 1 to 40") as caught:
        Table("f.toml", "", {name: {}}).names()
    assert "\n" not in str(caught.value)


def test_good_names_are_sorted() -> None:
    """Names come out in one order."""
    assert Table("f.toml", "", {"b": {}, "A-1": {}, "a.b_c": {}}).names() == ("A-1", "a.b_c", "b")
