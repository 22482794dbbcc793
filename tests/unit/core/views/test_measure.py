"""`core.views.measure`."""

import pytest

from subsessiond.core.views.measure import fit_items, fit_text, json_bytes


@pytest.mark.parametrize("mark", ["a", '"', "\\", "\x01", "é", "€", "🙂", "\n"])
def test_a_text_is_cut_by_what_it_takes_in_json(mark: str) -> None:
    """At every limit the JSON string fits, quotes included, and is no shorter than it has to be."""
    text = mark * 60
    for limit in range(2, 140):
        cut = fit_text(text, limit)
        assert json_bytes(cut) <= limit
        assert text.startswith(cut.removesuffix("…"))
    assert fit_text(text, 400) == text
    assert json_bytes(fit_text(text, 59)) > 59 - 12


def test_items_are_kept_from_the_front() -> None:
    """Items are kept in order until one does not fit; a later one that would is not picked."""
    assert fit_items(["a" * 5, "b" * 50, "c"], 20) == ("a" * 5,)
    assert fit_items([], 0) == ()
