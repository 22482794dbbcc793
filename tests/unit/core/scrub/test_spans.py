import pytest

from subsessiond.core.scrub.spans import joined, replaced_in_pieces


def test_places_that_overlap_or_touch_become_one() -> None:
    """Places come out in order and apart; empty ones are none."""
    assert joined([(5, 7), (0, 2), (2, 3), (1, 2), (9, 9)]) == ((0, 3), (5, 7))


def test_each_place_becomes_one_mark() -> None:
    """What stands around a place stays as it is."""
    assert replaced_in_pieces(("ab secret cd",), [(3, 9)]) == ("ab [removed] cd",)
    assert replaced_in_pieces(("secret",), [(0, 6)]) == ("[removed]",)
    assert replaced_in_pieces(("nothing",), []) == ("nothing",)


@pytest.mark.parametrize("cut", range(13))
def test_pieces_say_what_the_whole_says(cut: int) -> None:
    """Wherever a text is cut in two, its scrubbed pieces joined are the scrubbed text."""
    text = "ab secret cde"
    pieces = (text[:cut], text[cut:])
    assert "".join(replaced_in_pieces(pieces, ((3, 9),))) == "ab [removed] cde"


def test_one_place_may_reach_over_many_pieces() -> None:
    """The mark stands where the place begins; the pieces in between are empty."""
    pieces = ("ab s", "ec", "", "ret", " cd")
    assert replaced_in_pieces(pieces, ((3, 9),)) == ("ab [removed]", "", "", "", " cd")


def test_a_piece_may_hold_several_places() -> None:
    """Places of one piece are told apart, also when the last of them goes on."""
    pieces = ("xxaxx", "xbb")
    assert replaced_in_pieces(pieces, ((0, 2), (3, 6))) == ("[removed]a[removed]", "bb")
