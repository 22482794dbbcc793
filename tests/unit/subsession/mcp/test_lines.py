import pytest

from subsession.mcp.lines import LINE_MOST_BYTES, Lines


@pytest.mark.parametrize("size", [1, 2, 3, 100])
def test_lines_come_whole_however_they_are_cut(size: int) -> None:
    """Empty lines are lines too, and what has no end yet is kept."""
    data = b"one\n\ntwo\nthree"
    lines = Lines()
    found = [line for at in range(0, len(data), size) for line in lines.feed(data[at : at + size])]
    assert found == [b"one", b"", b"two"]
    assert lines.end() == b"three"
    assert lines.end() == b""


@pytest.mark.parametrize("size", [1, 3, 100])
def test_of_a_line_that_is_too_long_one_byte_too_many_is_kept(size: int) -> None:
    """So that whoever reads it can tell; the line behind it is whole."""
    data = b"x" * 50 + b"\nnext\n"
    lines = Lines(most_bytes=10)
    found = [line for at in range(0, len(data), size) for line in lines.feed(data[at : at + size])]
    assert found == [b"x" * 11, b"next"]


def test_the_limit_is_the_daemons() -> None:
    """Sixteen MiB pass."""
    assert list(Lines().feed(b"x" * LINE_MOST_BYTES + b"\n")) == [b"x" * LINE_MOST_BYTES]
