import msgspec

from subsessiond.rpc.discovery import discovery
from subsessiond.wire.methods import METHODS


def test_the_served_document_is_compact_and_whole() -> None:
    """It is one line of JSON and names every method."""
    raw = bytes(discovery())
    assert b"\n" not in raw
    names = [one["name"] for one in msgspec.json.decode(raw)["methods"]]
    assert names == [method.name for method in METHODS]
