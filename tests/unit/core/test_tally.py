"""Arithmetic of measured tokens."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from subsessiond.core.tally import exchanged, most, moved, plus, share_of, sound, together
from subsessiond.model.usage import FIGURE_MOST, Below, Usage
from tests.support.trees import a_node

figures = st.none() | st.integers(0, FIGURE_MOST)
usages = st.none() | st.builds(
    Usage, input=figures, cache_read=figures, cache_write=figures, output=figures
)
SOME = Usage(input=5, output=2)


def test_what_nobody_reported_stays_none() -> None:
    """None is not zero: a sum has a figure exactly where a summand has one."""
    assert plus(None, None) is None
    assert most(None, None) is None
    assert plus(SOME, Usage(input=1, cache_read=3)) == Usage(input=6, cache_read=3, output=2)
    assert plus(None, SOME) == plus(SOME, None) == SOME


def test_the_greater_figure_is_taken_one_by_one() -> None:
    """A total that fell in one figure and rose in another gives the greater of both."""
    other = Usage(input=4, cache_write=0, output=9)
    assert most(SOME, other) == Usage(input=5, cache_write=0, output=9)
    assert most(SOME, None) == most(None, SOME) == SOME


@pytest.mark.parametrize("figure", [-1, FIGURE_MOST + 1, -(2**70), 2**70])
def test_a_figure_that_cannot_be_is_left_out(figure: int) -> None:
    """The others are kept; with none left nothing was measured."""
    assert sound(Usage(input=figure, output=1)) == Usage(output=1)
    assert sound(Usage(input=figure)) is None
    assert sound(Usage(input=0, output=FIGURE_MOST)) == Usage(input=0, output=FIGURE_MOST)


@given(total=usages, old=usages, grown=usages)
def test_a_summand_is_exchanged_for_its_newer_state(
    total: Usage | None, old: Usage | None, grown: Usage | None
) -> None:
    """The sum is the one that adding the newer state gives, whatever the older was."""
    new = most(old, grown)
    assert exchanged(plus(total, old), old, new) == plus(total, new)


def test_a_node_counts_once_it_was_up_or_reported() -> None:
    """A root never does, one that never came up does not, and one without figures is not named."""
    assert share_of(None) == share_of(a_node(1, parent=None, measured=SOME)) == Below()
    assert share_of(a_node(2)) == Below()
    assert share_of(a_node(2, started_at_ms=1)) == Below(started=1)
    both = Below(measured=SOME, reporting=1, started=1)
    assert share_of(a_node(2, measured=SOME)) == both
    assert share_of(a_node(2, measured=SOME, started_at_ms=1)) == both


def test_a_node_and_what_is_below_it_make_one_sum() -> None:
    """Its own figures are added to those below, and it is counted among them."""
    below = moved(Below(started=1), Below(), Below(measured=SOME, reporting=1, started=1))
    node = a_node(2, started_at_ms=1, measured=SOME, below=below)
    assert together(node) == Below(measured=Usage(input=10, output=4), reporting=2, started=3)
    assert together(replace(node, measured=None, below=Below())) == Below(started=1)
