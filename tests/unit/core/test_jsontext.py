import pytest

from subsessiond.core.jsontext import MOST_PARTS, MOST_VALUES, has_too_many


@pytest.mark.parametrize(
    "raw",
    [
        b"[" + b",".join([b"[]"] * MOST_PARTS) + b"]",
        b"[" + b",".join([b"{}"] * MOST_PARTS) + b"]",
        b"[" + b",".join([b"1"] * (MOST_VALUES + 1)) + b"]",
        b"[" + b",".join([rb'"\\"'] * (MOST_VALUES + 1)) + b"]",
        b"{" + b",".join(b'"%d":0' % i for i in range(MOST_PARTS + 1)) + b"}",
    ],
)
def test_what_is_stuffed_with_values_is_too_much(raw: bytes) -> None:
    """Lists, objects, members and plain values are counted, each against its own bound."""
    assert has_too_many(raw)


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"[1]",
        b'{"t":"' + b"[{,:" * MOST_VALUES + b'"}',
        b'{"t":"' + rb"\"[{\\" * MOST_VALUES + b'"}',
        b"[" + b",".join([b'"a,b"'] * MOST_PARTS) + b"]",
    ],
)
def test_signs_inside_of_texts_are_no_values(raw: bytes) -> None:
    """A large file in one text is one value, whatever stands in it."""
    assert not has_too_many(raw)
