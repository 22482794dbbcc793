"""Amounts for people."""

import pytest

from subsession.amounts import say_bytes, say_span, say_tokens


@pytest.mark.parametrize(
    ("count", "said"),
    [
        (0, "0 B"),
        (999, "999 B"),
        (1_000, "1 kB"),
        (12_345, "12.3 kB"),
        (999_400, "999 kB"),
        (999_600, "1 MB"),
        (3_400_000_000, "3.4 GB"),
    ],
)
def test_bytes_are_said_in_three_digits(count: int, said: str) -> None:
    """A count of bytes keeps three digits and its unit, and never shows a thousand."""
    assert say_bytes(count) == said


@pytest.mark.parametrize(
    ("count", "said"),
    [(0, "0"), (999, "999"), (1_499, "1k"), (199_600, "200k"), (5_000_000, "5.0M")],
)
def test_tokens_are_said_in_thousands_and_millions(count: int, said: str) -> None:
    """A count of tokens is rounded as people speak of it."""
    assert say_tokens(count) == said


@pytest.mark.parametrize(
    ("ms", "said"),
    [(-5, "0s"), (59_999, "59s"), (60_000, "1m00s"), (3_723_000, "1h02m"), (90_000_000, "1d01h")],
)
def test_a_span_is_said_in_its_two_largest_units(ms: int, said: str) -> None:
    """A span shows its two largest units; a negative one, from a clock set back, is none."""
    assert say_span(ms) == said
