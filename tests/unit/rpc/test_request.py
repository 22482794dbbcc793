from typing import Any

import pytest

from subsessiond.rpc.request import id_of, is_id, is_notification, request_faults

CALL = {"jsonrpc": "2.0", "method": "m"}


@pytest.mark.parametrize("extra", [{}, {"id": None}, {"params": {}}, {"params": [], "id": 1.5}])
def test_calls_of_the_specification_are_calls(extra: dict[str, Any]) -> None:
    """Parameters and id may be left out, an id may be a fraction or null."""
    assert request_faults(CALL | extra) == ()


@pytest.mark.parametrize(
    ("message", "path"),
    [
        (1, ""),
        (None, ""),
        ("x", ""),
        ([], ""),
        ({"method": "m"}, "jsonrpc"),
        (CALL | {"jsonrpc": 2.0}, "jsonrpc"),
        (CALL | {"method": 1}, "method"),
        (CALL | {"params": "x"}, "params"),
        (CALL | {"params": None}, "params"),
        (CALL | {"id": True}, "id"),
        (CALL | {"id": {}}, "id"),
        (CALL | {"id": "\0"}, "id"),
        (CALL | {"id": 2**53}, "id"),
        (CALL | {"id": 1e300}, "id"),
        (CALL | {"extra": 1}, "extra"),
        (CALL | {"a key with spaces": 1}, "(unnamed)"),
    ],
)
def test_what_is_no_call_is_named(message: Any, path: str) -> None:
    """The one wrong member is named."""
    assert [fault.path for fault in request_faults(message)] == [path]


def test_a_flood_of_unknown_members_is_bounded() -> None:
    """Not every one of a thousand strangers is named."""
    assert len(request_faults(CALL | {f"k{i}": 1 for i in range(1_000)})) == 10


def test_an_id_that_cannot_be_sent_back_is_none() -> None:
    """Only an id that arrives as it came is used in an answer."""
    assert id_of({"id": "a"}) == "a"
    assert id_of({"id": "\ud800"}) is None
    assert id_of([1]) is None
    assert is_id("x" * 100_000)


def test_null_is_an_id() -> None:
    """Only a missing id makes a notification."""
    assert is_notification(CALL)
    assert not is_notification(CALL | {"id": None})
