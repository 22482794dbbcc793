import pytest
from hypothesis import given
from hypothesis import strategies as st

from subsessiond.adapters.runners import rows
from subsessiond.adapters.runners.rows import count_rows, rows_of


@given(
    st.text("ab\n", max_size=40).map(str.encode),
    st.integers(0, 45),
    st.none() | st.integers(0, 45),
    st.integers(1, 7),
)
def test_rows_are_those_of_cutting_all_of_it(
    raw: bytes, first: int, count: int | None, piece: int
) -> None:
    """Whatever the text and however small the steps, it is what a list of rows would give."""
    every = [f"{row}\n".encode() for row in raw.decode().split("\n")]
    every[-1] = every[-1][:-1]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rows, "_PIECE", piece)
        wanted = every[first:] if count is None else every[first : first + count]
        assert rows_of(raw, first, count) == b"".join(wanted)
    assert count_rows(raw) == len(every) - (not every[-1])


def test_a_row_beyond_all_counting_is_none() -> None:
    """Numbers larger than any file cost nothing."""
    assert rows_of(b"a\nb", 10**30, 10**30) == b""
    assert rows_of(b"a\nb", 1, 10**30) == b"b"
