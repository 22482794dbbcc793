"""JSON as people keep it, for property tests: any white space, comments and trailing commas."""

import json
from typing import Any

from hypothesis import strategies as st

KEYS = st.sampled_from(["a", "b", "servers", "other", "ünder"])
VALUES = st.recursive(
    st.none() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=8,
)
TRIVIA = st.sampled_from(
    ["", " ", "\n", "\n    ", " // c\n", "/* c */", "\r\n\t", "\n\n  // x\n  "]
)


@st.composite
def documents(draw: st.DrawFn, value: Any) -> str:
    """Write a value as somebody would who cares for nothing: any white space, comments, commas."""

    def gap() -> str:
        return draw(TRIVIA)

    if not isinstance(value, dict | list):
        return json.dumps(value)
    is_object = isinstance(value, dict)
    entries = value.items() if isinstance(value, dict) else ((None, item) for item in value)
    parts = [
        gap()
        + (f"{json.dumps(key)}{gap()}:{gap()}" if is_object else "")
        + draw(documents(below))
        + gap()
        for key, below in entries
    ]
    comma = draw(st.sampled_from(["", "," + gap()])) if parts else gap()
    inside = ",".join(parts) + comma
    return f"{{{inside}}}" if is_object else f"[{inside}]"
