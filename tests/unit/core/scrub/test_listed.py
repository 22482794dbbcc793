import base64

import pytest

from subsessiond.core.scrub.listed import begun_before, find_broken, find_listed, forms_of, usable
from subsessiond.core.scrub.spans import joined, replaced_in_pieces

VALUE = 'correct "horse" battery'


def scrub(text: str, *values: str) -> str:
    """Take listed values out of a text."""
    forms = tuple(form for value in values for form in forms_of(value))
    return replaced_in_pieces((text,), joined(find_listed(text, forms)))[0]


def broken(text: str, *values: str) -> str:
    """Take listed values out of base64 of several lines."""
    forms = tuple(form for value in values for form in forms_of(value))
    return replaced_in_pieces((text,), joined(find_broken(text, forms)))[0]


def test_a_value_goes_wherever_it_stands() -> None:
    """Plain and as JSON writes it; also in the middle of a word."""
    assert scrub(f"a{VALUE}b", VALUE) == "a[removed]b"
    assert scrub('{"a": "correct \\"horse\\" battery"}', VALUE) == '{"a": "[removed]"}'


def test_values_that_overlap_go_all() -> None:
    """No end of a value is left where two of them share characters."""
    assert scrub("aaaaaaaaa!", "aaaaaa") == "[removed]!"


@pytest.mark.parametrize("before", range(7))
@pytest.mark.parametrize("after", range(4))
def test_base64_goes_at_every_alignment(before: int, after: int) -> None:
    """Whatever stands before and after it, what is left decodes to nothing of the value."""
    raw = b"x" * before + VALUE.encode() + b"y" * after
    for coded in (base64.b64encode(raw).decode(), base64.urlsafe_b64encode(raw).decode()):
        left = scrub(coded, VALUE)
        assert "[removed]" in left
        kept = left.replace("[removed]", "").rstrip("=")
        assert len(kept) * 6 // 8 <= before + after


@pytest.mark.parametrize("columns", [16, 20, 64, 76])
@pytest.mark.parametrize("newline", ["\n", "\r\n", "\n    ", "\n> ", "\\n"])
def test_base64_that_is_broken_over_lines_goes(columns: int, newline: str) -> None:
    """Wherever its lines end, and however they are moved; what stands around it stays."""
    for before in range(4):
        coded = base64.b64encode(b"x" * (40 + before) + VALUE.encode() * 3 + b"y" * 60).decode()
        lines = [coded[at : at + columns] for at in range(0, len(coded), columns)]
        left = broken(f"a b\n{newline.join(lines)}\nc d", VALUE)
        kept = "".join(left[4:-4].replace("[removed]", "").split(newline)).rstrip("=")
        assert left.startswith("a b\n")
        assert left.endswith("\nc d")
        assert len(kept) * 6 // 8 <= 43 + 60


def test_lines_that_are_no_base64_are_not_put_together() -> None:
    """Nor is anything looked for where no value is named."""
    text = "an_identifier_of_a_program\nand_another_one\n"
    assert broken(text, VALUE) == text
    assert broken(text) == text


def test_short_values_are_not_looked_for() -> None:
    """A value of five characters is too short, blanks around it not counted."""
    assert usable("abcdef")
    assert not usable(" abcde\n")


@pytest.mark.parametrize("cut", range(1, len(VALUE)))
def test_the_end_of_a_value_is_seen_at_the_front(cut: int) -> None:
    """Wherever a value was cut, the rest of it is counted."""
    assert begun_before(VALUE[cut:] + " after", forms_of(VALUE)) >= len(VALUE) - cut
    assert begun_before("quite other", forms_of(VALUE)) == 0
