from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from subsessiond.rpc.lines import Lines


def feed(lines: Lines, *chunks: bytes) -> list[bytes | None]:
    """Give every line that these bytes end."""
    return [line for chunk in chunks for line in lines.feed(chunk)]


@given(
    st.lists(st.binary(max_size=12).filter(lambda b: b"\n" not in b and b"\r" not in b)), st.data()
)
def test_lines_do_not_depend_on_chunks(written: list[bytes], data: st.DataObject) -> None:
    """However the same bytes come, the same lines come out, and nothing is left."""
    whole = b"".join(line + b"\n" for line in written)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(whole)), max_size=5)))
    edges = [0, *cuts, len(whole)]
    lines = Lines(64)
    chunks = [whole[a:b] for a, b in pairwise(edges)]
    assert feed(lines, *chunks) == written
    assert lines.held_bytes == 0


@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
def test_either_end_of_line_is_taken_off(end: bytes) -> None:
    """Agents of other systems end a line with two bytes."""
    assert feed(Lines(9), b"one" + end + end + b"two" + end) == [b"one", b"", b"two"]


def test_what_is_not_whole_is_counted() -> None:
    """A half line is held until its end comes."""
    lines = Lines(9)
    assert feed(lines, b"ab", b"cd") == []
    assert lines.held_bytes == 4
    assert feed(lines, b"\nx") == [b"abcd"]
    assert lines.held_bytes == 1


def test_a_line_that_is_too_long_is_not_kept() -> None:
    """The longest passes; one byte more is told when it ends, and the next line is whole again."""
    lines = Lines(4)
    assert feed(lines, b"abcd\n") == [b"abcd"]
    assert feed(lines, b"abcde", b"f" * 1_000) == []
    assert lines.held_bytes == 0
    assert feed(lines, b"g\nok\nabcde\n") == [None, b"ok", None]
