"""Names of nodes and messages: what they look like. The daemon alone makes them."""

import re
from typing import NewType

NodeId = NewType("NodeId", str)
"""26 characters of lower-case Crockford base 32: 48 bits of time, then 80 bits of chance."""

MessageId = NewType("MessageId", str)
"""`<sender>.<n>`: the n-th message its sender caused. Derived, so that decisions need no chance."""

NODE_ID_PATTERN = r"^[0-9a-hjkmnp-tv-z]{26}$"
_NODE_ID = re.compile(NODE_ID_PATTERN)


def is_node_id(text: str) -> bool:
    """Tell whether a text has the one spelling that a node id can have."""
    return _NODE_ID.match(text) is not None and not text.endswith("\n")


def message_id(sender: NodeId, n: int) -> MessageId:
    """Name the n-th message that a node caused (n counts from 1)."""
    return MessageId(f"{sender}.{n}")
