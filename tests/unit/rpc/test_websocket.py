import pytest

from subsessiond.rpc.websocket import frame


@pytest.mark.parametrize(
    ("size", "head"),
    [
        (0, b"\x81\x00"),
        (125, b"\x81\x7d"),
        (126, b"\x81\x7e\x00\x7e"),
        (65_535, b"\x81\x7e\xff\xff"),
        (65_536, b"\x81\x7f\x00\x00\x00\x00\x00\x01\x00\x00"),
    ],
)
def test_a_frame_says_how_long_it_is(size: int, head: bytes) -> None:
    """A final text frame, unmasked, with the shortest length that fits (RFC 6455 §5.2)."""
    message = b"x" * size
    assert frame(message) == head + message
