"""Text of agents on a terminal."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from subsession.text import block, cell, cut, one_line, width

NASTY = [
    "\x1b[2J\x1b]0;owned\x07",
    "a\rb\bc\x7f\x00",
    "\x9b31m\x85\x90",
    "ab\u202ecd\u2066ef\u2069",
    "\u200b\u200e\ufeff\u2028\u2029\u00ad",
    "\U000e0041\ue000\udc9b",
    "e" + "\u0301" * 50,
    "<img src=x onerror=alert(1)>",
]


def is_clean(text: str, *, lines: bool = False) -> bool:
    """Tell that nothing in a text moves a cursor, reorders, or is no text at all."""
    allowed = "\n" if lines else ""
    return all(
        char in allowed or unicodedata.category(char) not in ("Cc", "Cf", "Cs", "Zl", "Zp")
        for char in text
    )


@pytest.mark.scenario("S39")
@pytest.mark.parametrize("text", NASTY)
def test_nothing_a_terminal_obeys_comes_through(text: str) -> None:
    """Escapes, overrides and invisible characters come out as visible text."""
    assert is_clean(one_line(text))
    assert is_clean(block(text), lines=True)
    assert is_clean(cut(text, 20))


@given(st.text(st.characters()))
def test_no_text_at_all_comes_through_raw(text: str) -> None:
    """Whatever an agent writes, a terminal is given plain characters."""
    assert is_clean(one_line(text))
    assert is_clean(block(text), lines=True)


@given(st.text(st.characters()), st.integers(0, 60))
def test_a_cell_is_exactly_as_wide_as_asked(text: str, columns: int) -> None:
    """Padding and cutting count columns, not characters."""
    assert width(cell(text, columns)) == columns


def test_what_is_removed_can_be_seen() -> None:
    """A reader sees that an escape stood there."""
    assert one_line("a\x1b[31mb\u202ec") == "a\\x1b[31mb\\u202ec"


def test_ordinary_text_of_any_language_is_left_alone() -> None:
    """Letters, accents and ideographs are shown as they are."""
    text = "Größe, 日本語, עברית, é e\u0301 — naïve ✓"
    assert one_line(text) == text


def test_wide_characters_count_two_columns() -> None:
    """A cut never splits an ideograph and marks what is missing."""
    assert width("日本") == 4
    assert cut("日本語", 5) == "日本…"
    assert cut("日本語", 6) == "日本語"


def test_stacked_marks_do_not_paint_over_other_lines() -> None:
    """A letter keeps a few combining marks; the rest is spelled out."""
    shown = one_line("e" + "\u0301" * 50)
    assert shown.startswith("e" + "\u0301" * 4 + "\\u0301")


def test_cutting_a_huge_text_looks_at_its_start_only() -> None:
    """A megabyte costs no more than what is shown, and is marked as cut."""
    shown = cut("x" * (1 << 20), 10)
    assert shown == "xxxxxxxxx…"
    assert cut(" " * (1 << 20) + "end", 10).endswith("…")


def test_lines_stay_lines_and_tabs_become_blanks() -> None:
    """A block keeps its line ends and nothing else of white space."""
    assert block("a\r\n\tb\rc") == "a\n    b\\rc"
