import json

import pytest

from subsessiond.core.jsontext import MOST_PARTS, MOST_VALUES
from subsessiond.rpc.reading import MOST_LEVELS, Unreadable, read_json
from subsessiond.wire.faults import MOST_FAULTS


def why(raw: bytes) -> list[tuple[str, str]]:
    """Read what cannot be taken; give places and problems."""
    found = read_json(raw)
    assert isinstance(found, Unreadable), found
    return [(fault.path, fault.problem) for fault in found.faults]


def test_of_repeated_keys_the_last_wins() -> None:
    """A key given twice has its last value."""
    assert read_json(b'{"a":1,"a":2}') == {"a": 2}


@pytest.mark.parametrize(
    "raw",
    [b"", b"{", b"nope", b'{"a":NaN}', b"[1e400]", b"\xef\xbb\xbf{}", b'{"a":"b\nc"}', b"\xff"],
)
def test_what_is_no_json_has_no_place(raw: bytes) -> None:
    """Bytes that no parser reads are told so and nothing else."""
    assert why(raw) == [("", "is not JSON")]


@pytest.mark.parametrize(
    ("raw", "path"),
    [
        (rb'{"params":{"text":"\ud800"}}', "params.text"),
        (rb'{"params":{"a":["x","\udc00y"]}}', "params.a[1]"),
        (rb'{"params":{"\ud800":1}}', "params.(unnamed)"),
        (b'{"params":{"text":"\xff"}}', "params.text"),
        (b'{"params":{"text":"\xed\xa0\x80"}}', "params.text"),
        (rb'[{"id":"\ud800"}]', "[0].id"),
    ],
)
def test_text_that_is_no_utf8_is_named(raw: bytes, path: str) -> None:
    """Unpaired surrogates and stray bytes are refused with the field they stand in."""
    assert why(raw) == [(path, "is not valid UTF-8")]


def test_a_pair_of_surrogates_is_one_sign() -> None:
    """Escaped emoji are text."""
    assert read_json(rb'"\ud83d\ude00"') == "😀"


@pytest.mark.parametrize("levels", [MOST_LEVELS + 1, 1_000, 10_000, 1_000_000])
@pytest.mark.scenario("S35")
def test_a_nesting_bomb_is_refused(levels: int) -> None:
    """However many brackets there are, the answer is one fault."""
    assert len(why(b"[" * levels + b"]" * levels)) == 1
    assert len(why(b"[" * levels)) == 1


def test_depth_is_counted_and_not_brackets() -> None:
    """Many brackets side by side are no depth."""
    wide = b"[" + b",".join([b"[]"] * 10_000) + b"]"
    deep = b"[" * MOST_LEVELS + b"]" * MOST_LEVELS
    assert read_json(wide) == [[]] * 10_000
    assert not isinstance(read_json(deep), Unreadable)


@pytest.mark.parametrize(
    "raw",
    [
        b"[" + b",".join([b"[]"] * MOST_PARTS) + b"]",
        b"[" + b",".join([b"1"] * (MOST_VALUES + 1)) + b"]",
        b"[" + b",".join([b'""'] * (2 * MOST_VALUES)) + b"]",
        b"[" + b",".join([rb'"\\"'] * (MOST_VALUES + 1)) + b"]",
        b'{"p":{' + b",".join(b'"%d":0' % i for i in range(MOST_PARTS)) + b"}}",
        b"," * 8_000_000,
    ],
)
@pytest.mark.scenario("S20")
def test_more_values_than_anybody_needs_are_not_even_made(raw: bytes) -> None:
    """A message of a few MiB can hold millions of values; it is refused before it is parsed."""
    assert why(raw) == [("", "holds more values than any call needs")]


@pytest.mark.parametrize("text", [",:[{" * 1_000_000, '\\",' * 1_000_000, "\\\\," * 500_000 + '"'])
def test_commas_in_a_text_are_no_values(text: str) -> None:
    """However a long text is punctuated, it is one value."""
    assert read_json(json.dumps({"text": text}).encode()) == {"text": text}


def test_a_flood_of_bad_texts_is_not_told_one_by_one() -> None:
    """Not every one of thousands of bad texts is looked for."""
    assert len(why(b"[" + b",".join([rb'"\ud800"'] * 90_000) + b"]")) == MOST_FAULTS
