import pytest
from hypothesis import given
from hypothesis import strategies as st

from subsessiond.core.bounds import (
    bytes_of_tokens,
    cut_bytes,
    estimated_tokens,
    one_line,
    size_bytes,
    tail_bytes,
)


@pytest.mark.parametrize(("count", "tokens"), [(0, 0), (1, 1), (3, 1), (4, 2), (1_800, 600)])
def test_tokens_are_estimated_from_bytes_rounded_up(count: int, tokens: int) -> None:
    """Three bytes are one token, and what is begun counts."""
    assert estimated_tokens(count) == tokens


def test_bytes_of_tokens_is_the_most_that_is_estimated_so() -> None:
    """One byte more than the bytes of so many tokens is one token more."""
    assert estimated_tokens(bytes_of_tokens(600)) == 600
    assert estimated_tokens(bytes_of_tokens(600) + 1) == 601


def test_size_counts_bytes_and_not_characters() -> None:
    """An umlaut has two bytes."""
    assert size_bytes("ä") == 2


@pytest.mark.parametrize("limit", range(12))
def test_a_cut_text_keeps_its_limit_and_its_characters(limit: int) -> None:
    """No character is broken and the limit holds, the mark of the cut included."""
    cut = cut_bytes("äöü€x", limit)
    assert size_bytes(cut) <= limit
    assert "äöü€x".startswith(cut.rstrip("…"))


def test_a_text_that_fits_is_not_touched() -> None:
    """What fits exactly has no mark of a cut."""
    assert cut_bytes("äöü", 6) == "äöü"
    assert tail_bytes("äöü", 6) == "äöü"


def test_a_tail_begins_with_a_whole_character() -> None:
    """Half a character at the front of a tail is left out."""
    assert tail_bytes("€xy", 4) == "xy"
    assert tail_bytes("€xy", 0) == ""


def test_one_line_has_no_break() -> None:
    """Breaks and runs of blanks become one blank."""
    assert one_line(" a\n\n b\tc ", 100) == "a b c"


@given(st.text(" \t\n\x1f\x85\u2003abcé", max_size=30), st.integers(0, 20))
def test_one_line_is_what_all_the_words_would_give(text: str, limit: int) -> None:
    """Only as many words are looked at as fit, and nothing is different for it."""
    assert one_line(text, limit) == cut_bytes(" ".join(text.split()), limit)
