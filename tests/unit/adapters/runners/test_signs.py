import asyncio

from subsessiond.adapters.runners.signs import Signs
from subsessiond.model.commands import NoteSign
from subsessiond.model.ids import NodeId
from subsessiond.model.node import Phase
from tests.support.stage import Stage

NODE = NodeId("n-1")
NEVER_S = 3_600.0


def told(here: Stage) -> list[tuple[str, Phase | None]]:
    """Give the signs that were told."""
    return [(sign.sign, sign.phase) for sign in here.told(NoteSign)]


async def test_the_first_sign_is_told_at_once(here: Stage) -> None:
    """Nobody waits to hear that a child has begun."""
    signs = Signs(here.voice, NODE, NEVER_S)
    signs.note("words", Phase.WORKING)
    assert told(here) == [("words", Phase.WORKING)]
    signs.close()


async def test_of_signs_that_come_too_fast_the_last_is_told(here: Stage) -> None:
    """A thousand signs in one moment are two: the first, and the last a moment later."""
    signs = Signs(here.voice, NODE, 0.001)
    for number in range(1_000):
        signs.note(f"words {number}", Phase.WORKING)
    signs.note("tool-start", Phase.IN_TOOL)
    later = asyncio.Event()
    asyncio.get_running_loop().call_later(0.005, later.set)
    await later.wait()
    assert told(here) == [("words 0", Phase.WORKING), ("tool-start", Phase.IN_TOOL)]
    signs.close()


async def test_what_waits_is_told_at_the_end(here: Stage) -> None:
    """The last sign is told when the child is over, and once."""
    signs = Signs(here.voice, NODE, NEVER_S)
    signs.note("words", Phase.WORKING)
    signs.note("tool-end", Phase.WORKING)
    signs.close()
    signs.close()
    assert told(here) == [("words", Phase.WORKING), ("tool-end", Phase.WORKING)]
