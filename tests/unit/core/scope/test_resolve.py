import pytest

from subsessiond.core.scope.reading import DEEP, SLASH, Misspelled
from subsessiond.core.scope.resolve import resolved, segments_of


def test_segments_are_what_stands_between_slashes() -> None:
    """Two slashes in a row have an empty segment between them."""
    assert segments_of(("a", SLASH, SLASH, DEEP)) == [("a",), (), (DEEP,)]


def test_going_up_takes_the_segment_before_away() -> None:
    """Dots are resolved from left to right, and only a slash at the very end adds `**`."""
    assert resolved(("a", SLASH, "b", SLASH, "..", SLASH, ".")) == ("a",)
    assert resolved(("a", SLASH, "..", SLASH)) == (DEEP,)
    assert resolved(("a", SLASH)) == ("a", SLASH, DEEP)


def test_going_up_from_the_top_is_refused() -> None:
    """The path above the workspace is nobody's to claim."""
    with pytest.raises(Misspelled, match="leaves the workspace"):
        resolved(("a", SLASH, "..", SLASH, ".."))
