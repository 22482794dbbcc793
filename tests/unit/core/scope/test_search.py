from collections.abc import Sequence

import pytest

from subsessiond.core.scope.search import WORD, Level
from subsessiond.core.scope.steps import Meter, StepsSpentError
from subsessiond.core.scope.symbols import MANY


def options(left: str, right: str, _meter: Meter) -> Sequence[str]:
    """Let each symbol stand for its letters."""
    return sorted(set(left) & set(right))


def holds(outer: str, inner: str, _meter: Meter) -> bool:
    """Tell whether one symbol has all letters of the other."""
    return set(inner) <= set(outer)


LEVEL = Level[str](options, lambda _phase, _text: WORD, holds, "abcx")


def test_a_word_of_both_sequences_is_spelled() -> None:
    """Runs take in what the other side asks for."""
    meter = Meter(100)
    assert LEVEL.shared_word(("ab", MANY, "c"), (MANY, "bc", "c"), meter) == ("b", "c")
    assert LEVEL.shared_word(("a", MANY), (MANY, "b", "c"), meter) == ("a", "b", "c")
    assert LEVEL.shared_word(("a",), ("b",), meter) is None
    assert LEVEL.shared_word(("a", "b"), ("a",), meter) is None
    assert LEVEL.shared_word(("a",), ("a", "b"), meter) is None


def test_the_empty_word_is_none() -> None:
    """Two runs share a word of one filler, two empty sequences share nothing."""
    assert LEVEL.shared_word((MANY,), (MANY,), Meter(100)) == ("x",)
    assert LEVEL.shared_word((), (), Meter(100)) is None


def test_inclusion_may_need_several_sequences_together() -> None:
    """What no outer sequence holds alone may be held by two, each for some words."""
    either = ((MANY, "a"), (MANY, "b"))
    assert LEVEL.holds_every_word(either, (MANY, "a"), Meter(100))
    assert LEVEL.holds_every_word(((), ("a", MANY)), ("a", MANY, "b"), Meter(100))
    assert LEVEL.holds_every_word((("a",), ("a", "abcx", MANY)), ("a", MANY), Meter(100))
    assert not LEVEL.holds_every_word(either, (MANY, "c"), Meter(100))
    assert not LEVEL.holds_every_word(either, (MANY,), Meter(100))


def test_a_search_ends_with_its_budget() -> None:
    """Neither search goes on when the meter is spent."""
    with pytest.raises(StepsSpentError):
        LEVEL.shared_word((MANY, "a"), (MANY, "b"), Meter(2))
    with pytest.raises(StepsSpentError):
        LEVEL.holds_every_word(((MANY, "a"),), (MANY, "b"), Meter(2))
