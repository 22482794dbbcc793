import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from subsessiond.adapters.runners.lines import LINE_BYTES, Lines


def cut(raw: bytes, size: int, limit: int = LINE_BYTES) -> tuple[list[bytes], int]:
    """Feed bytes in chunks of one size; gives the lines and how many were dropped."""
    lines = Lines(limit)
    found = [line for i in range(0, len(raw), size) for line in lines.feed(raw[i : i + size])]
    return found + lines.end(), lines.dropped


@pytest.mark.parametrize("size", [1, 2, 3, 7, 100])
def test_chunks_may_end_anywhere(size: int) -> None:
    """Marks, blank lines and both kinds of line ends are the same however the bytes come."""
    raw = b"\xef\xbb\xbfone\r\n\n  \r\ntwo\nthr\ree\n\xef\xbb\xbffour"
    assert cut(raw, size) == ([b"one", b"two", b"thr\ree", b"four"], 0)


@pytest.mark.parametrize("length", [65_535, 65_536, 65_537, 1024 * 1024])
def test_long_lines_come_whole(length: int) -> None:
    """A line may be longer than a pipe or a chunk."""
    raw = b"x" * length + b"\n{}\n"
    assert cut(raw, 65_536) == ([b"x" * length, b"{}"], 0)


@pytest.mark.parametrize("size", [1, 9, 10, 11, 12, 13, 40])
def test_a_line_at_its_limit_is_read_and_one_beyond_is_not(size: int) -> None:
    """The limit counts the line alone, and what follows a dropped line is read."""
    assert cut(b"\xef\xbb\xbf0123456789\r\n0123456789x\r\nnext\n", size, limit=10) == (
        [b"0123456789", b"next"],
        1,
    )


def test_a_line_that_never_ends_is_counted_once() -> None:
    """Ten limits of one line are one line that was dropped; its last part is no line."""
    lines = Lines(100)
    for _ in range(100):
        assert lines.feed(b"x" * 10) == []
    assert lines.end() == []
    assert lines.dropped == 1


def test_a_chunk_that_ends_at_the_line_end_of_a_dropped_line_begins_anew() -> None:
    """The very next frame after 40 MiB of one line is read, and memory stays near the limit."""
    lines = Lines()
    chunk = b"x" * (1024 * 1024)
    tracemalloc.start()
    for _ in range(39):
        assert lines.feed(chunk) == []
    assert lines.feed(chunk[:-1] + b"\n") == []
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 2 * LINE_BYTES + 8 * len(chunk)
    assert lines.feed(b'{"id":1}\n') == [b'{"id":1}']
    assert lines.dropped == 1


@given(
    st.lists(st.binary(max_size=12).filter(lambda raw: b"\n" not in raw), max_size=12),
    st.integers(1, 9),
)
def test_every_line_comes_once_and_in_order(parts: list[bytes], size: int) -> None:
    """What is given is what a reader of the whole would have found."""
    whole = b"\n".join(parts)
    bare = [part.removesuffix(b"\r").removeprefix(b"\xef\xbb\xbf") for part in parts]
    assert cut(whole, size) == ([line for line in bare if line.strip()], 0)
