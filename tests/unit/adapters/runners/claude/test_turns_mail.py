"""What begins a turn; what is said into one, and refusals, are in test_turns."""

import asyncio
from typing import Any

import pytest

from subsessiond.adapters.runners.claude.control import AgentGone
from subsessiond.adapters.runners.mailbox import Mailbox
from subsessiond.adapters.runners.refusals import Refusals
from subsessiond.adapters.runners.saying import Said
from subsessiond.adapters.runners.talk import Talk
from subsessiond.model.message import MessageState
from tests.support.claudeturns import Play
from tests.support.mailing import put_mail
from tests.support.stage import Stage


async def test_mail_is_read_when_its_turn_ended_well(play: Play, here: Stage) -> None:
    """All that waits is one turn; it is delivered before it is said, and read at its end."""
    await play.begun()
    put_mail(here, play.node_id, "1")
    put_mail(here, play.node_id, "2")
    play.turns.nudge()
    play.end()
    assert await play.begun() == "1\n\n2"
    box = here.registry.tree.mail[play.node_id]
    assert [m.state for m in box] == [MessageState.DELIVERED] * 2
    play.end()
    await play.idle()
    assert play.node_id not in here.registry.tree.mail
    assert play.prompts.empty()


async def test_mail_of_a_turn_that_died_stays(play: Play, here: Stage) -> None:
    """Nobody knows whether it was read: whoever takes over is shown it again."""
    await play.begun()
    put_mail(here, play.node_id, "1")
    play.turns.nudge()
    play.end()
    await play.begun()
    play.end(is_error=True)
    assert await play.living is not None
    await here.settled_queue()
    (message,) = here.registry.tree.mail[play.node_id]
    assert message.state is MessageState.DELIVERED


async def test_mail_of_an_interrupted_turn_comes_again_marked(play: Play, here: Stage) -> None:
    """The child lives on, and is shown it once more."""
    await play.begun()
    put_mail(here, play.node_id, "1")
    play.turns.nudge()
    play.end()
    assert await play.begun() == "1"
    play.end(is_error=True, terminal_reason="aborted_streaming")
    assert await play.begun() == "(again) 1"
    play.end()
    await play.idle()
    assert play.node_id not in here.registry.tree.mail


async def test_a_nudge_without_mail_begins_nothing(play: Play) -> None:
    """The end of the turn is told once, however often it is looked."""
    await play.begun()
    play.end()
    await play.idle()
    play.turns.nudge()
    await play.idle()
    assert (play.turn_ends(), play.prompts.empty()) == (1, True)


async def test_what_was_said_comes_before_mail_in_order(here: Stage, node_id: Any) -> None:
    """Each is a turn of its own; what rode on a tool's answer meanwhile is left out."""
    talk = Talk(Mailbox(here.voice, node_id), Refusals(), AgentGone)
    put_mail(here, node_id, "7")
    talk.nudge()
    gone = Said("gone", "no-such-message")
    for said in (Said("one"), gone, Said("two")):
        talk.add(said)
    turns = [await talk.next(lambda: None) for _ in range(3)]
    assert [said and said.text for said in turns] == ["one", "two", "7"]
    assert not await gone.read
    assert turns[2] is not None
    assert turns[2].is_mail


async def test_what_is_left_unsaid_is_unread(here: Stage, node_id: Any) -> None:
    """Whoever waits for the next turn hears that there will be none."""
    talk = Talk(Mailbox(here.voice, node_id), Refusals(), AgentGone)
    ends: list[int] = []
    waiting = asyncio.ensure_future(talk.next(lambda: ends.append(1)))
    await asyncio.sleep(0)
    await here.settled_queue()
    talk.close()
    with pytest.raises(AgentGone):
        await waiting
    assert ends == [1]
    unsaid = Said("one")
    talk.add(unsaid)
    talk.close()
    assert not await unsaid.read
    unsaid.settle(read=True)
    assert not await unsaid.read
