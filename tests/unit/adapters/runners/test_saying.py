"""`adapters.runners.saying`."""

from subsessiond.adapters.runners.saying import Said


async def test_what_is_known_of_a_message_is_known_once() -> None:
    """Whoever waits hears the first word of it, and no later one changes that."""
    said = Said("go left", "m.1")
    said.settle(read=True)
    said.settle(read=False)
    assert await said.read is True
