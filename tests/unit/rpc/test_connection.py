import asyncio
from collections.abc import Sequence

import msgspec

from subsessiond.rpc.connection import NOTES_MOST, Connection
from subsessiond.rpc.running import Running


class Wire:
    """A pipe in memory, which can be made slow."""

    def __init__(self) -> None:
        self.writes: list[list[bytes]] = []
        self.is_slow = False
        self.is_gone = False
        self.caught_up = asyncio.Event()

    def write(self, messages: Sequence[bytes]) -> None:
        """Keep what was written."""
        self.writes.append(list(messages))

    def is_congested(self) -> bool:
        """Say whether it is slow."""
        return self.is_slow

    async def drain(self) -> None:
        """Wait to be read."""
        await self.caught_up.wait()
        if self.is_gone:
            raise ConnectionResetError
        self.is_slow = False


async def turn() -> None:
    """Let the loop run what is due."""
    for _ in range(5):
        await asyncio.sleep(0)


def names(messages: list[bytes]) -> list[str]:
    """Give the names of notifications."""
    return [msgspec.json.decode(one)["method"] for one in messages]


async def test_what_is_said_in_one_turn_leaves_in_one_write() -> None:
    """Replies and notifications are joined."""
    wire = Wire()
    connection = Connection(wire, Running())
    connection.reply(b"1")
    connection.notify("events.event", {"seq": 1})
    connection.reply(b"2")
    assert wire.writes == []
    await turn()
    note = b'{"jsonrpc":"2.0","method":"events.event","params":{"seq":1}}'
    assert wire.writes == [[b"1", b"2", note]]


async def test_many_replies_do_not_wait_for_the_turn_to_end() -> None:
    """A reader with many calls in flight begins to read while the rest is answered."""
    wire = Wire()
    connection = Connection(wire, Running())
    for _ in range(8):
        connection.reply(b"r")
    assert wire.writes == [[b"r"] * 8]
    await turn()
    assert len(wire.writes) == 1


async def test_a_slow_reader_loses_its_notes_and_is_told_so() -> None:
    """Beyond the bound all that waits is dropped for one word: start over."""
    wire, running = Wire(), Running()
    caught_up = asyncio.Event()
    connection = Connection(wire, running, caught_up.set)
    wire.is_slow = True
    connection.reply(b"first")
    await turn()
    assert connection.is_behind
    for number in range(NOTES_MOST + 3):
        connection.notify("events.event", {"seq": number})
    connection.reply(b"second")
    await turn()
    assert wire.writes == [[b"first"]]
    wire.caught_up.set()
    await running.settle(5)
    assert caught_up.is_set()
    assert wire.writes[1][0] == b"second"
    assert names(wire.writes[1][1:]) == ["events.resync", "events.event", "events.event"]


async def test_large_notes_are_bounded_in_bytes() -> None:
    """A few large notifications count as many small ones."""
    wire, running = Wire(), Running()
    connection = Connection(wire, running)
    for _ in range(5):
        connection.notify("events.event", {"text": "x" * 1_000_000})
    await turn()
    assert names(wire.writes[0]) == ["events.resync"]


async def test_those_who_asked_hear_of_the_end_once() -> None:
    """Callbacks run once; a late one runs at once; nothing is queued any more."""
    wire, heard = Wire(), list[str]()
    connection = Connection(wire, Running())
    connection.on_close(lambda: heard.append("early"))
    connection.notify("events.event", {})
    connection.close()
    connection.close()
    connection.on_close(lambda: heard.append("late"))
    connection.notify("events.event", {})
    await turn()
    assert heard == ["early", "late"]
    assert wire.writes == []


async def test_a_reader_that_is_gone_while_behind_is_closed() -> None:
    """Waiting for a reader ends when it goes away."""
    wire, running, heard = Wire(), Running(), list[str]()
    connection = Connection(wire, running)
    connection.on_close(lambda: heard.append("closed"))
    wire.is_slow = wire.is_gone = True
    connection.reply(b"x")
    await turn()
    wire.caught_up.set()
    await running.settle(5)
    assert heard == ["closed"]
    assert not connection.is_behind
