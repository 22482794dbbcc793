from typing import Any

import pytest

from subsessiond.adapters.runners.claude.metering import Metering
from subsessiond.adapters.runners.claude.reading import Told, TurnEnd
from subsessiond.model.commands import ConfirmStart, NoteUsage
from subsessiond.model.usage import Usage
from tests.support.stage import Stage


@pytest.fixture
async def node_id(here: Stage) -> Any:
    """A running worker."""
    admitted = await here.admit(role="worker")
    await here.voice.ask(ConfirmStart(node=admitted, **here.voice.now()))
    return admitted


async def test_messages_count_once_and_turns_add_up(here: Stage, node_id: Any) -> None:
    """A message on two lines is one; what was written is known when its turn ends."""
    metering = Metering(here.voice, node_id)
    one = Told(message_id="m1", usage=Usage(input=10, cache_read=0))
    metering.take(one)
    metering.take(one)
    end = TurnEnd(usage=Usage(input=10, cache_read=0, output=4))
    metering.take(Told(end=end))
    metering.take(Told(message_id="m2", usage=Usage(input=20, cache_read=6)))
    metering.take(Told(end=TurnEnd(usage=Usage(input=20, cache_read=6, output=5))))
    metering.take(Told(sign="message"))
    totals = [told.usage for told in here.told(NoteUsage)]
    assert totals == [
        Usage(input=10, cache_read=0),
        Usage(input=10, cache_read=0, output=4),
        Usage(input=30, cache_read=6, output=4),
        Usage(input=30, cache_read=6, output=9),
    ]


async def test_what_a_turn_read_that_never_ended_counts(here: Stage, node_id: Any) -> None:
    """The end of an aborted turn may tell of nothing; its messages have told before."""
    metering = Metering(here.voice, node_id)
    metering.take(Told(message_id="m1", usage=Usage(input=10)))
    metering.take(Told(end=TurnEnd(is_error=True, usage=Usage(input=0, output=0))))
    assert here.told(NoteUsage)[-1].usage == Usage(input=10, output=0)


async def test_who_tells_nothing_is_not_measured(here: Stage, node_id: Any) -> None:
    """No figure is no total, which is not a total of 0."""
    metering = Metering(here.voice, node_id)
    metering.take(Told(message_id="m1"))
    metering.take(Told(end=TurnEnd()))
    assert here.told(NoteUsage) == []
