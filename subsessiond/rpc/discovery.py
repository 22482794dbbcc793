"""The OpenRPC document as it is served: the checked-in copy, which a test holds to the models."""

from functools import cache
from importlib.resources import files

import msgspec


@cache
def discovery() -> msgspec.Raw:
    """Give the document, read once."""
    written = (files("subsessiond.wire") / "openrpc.json").read_bytes()
    return msgspec.Raw(msgspec.json.format(written, indent=-1))
