"""`subsession.doctor.tables`."""

import tomllib
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from subsession.doctor.tables import write_tables

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
LEAF = TEXT | st.integers(-(2**53), 2**53) | st.booleans()
VALUE = st.recursive(
    LEAF, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3)
)


@given(st.dictionaries(TEXT, VALUE, max_size=5))
def test_what_is_written_is_read_again(tables: dict[str, Any]) -> None:
    """Any names, texts and depths come back as they were."""
    assert tomllib.loads(write_tables(tables)) == tables
