import asyncio

import pytest

from subsessiond.adapters.runners.acp.connection import ConnectionLost
from subsessiond.core.permit import Refusal
from subsessiond.core.words import ASK_FINAL
from subsessiond.model.commands import (
    Caller,
    Cancel,
    EndTurn,
    MarkDelivered,
    NoteSign,
)
from subsessiond.model.node import Phase, StopReason
from tests.support.acpturns import Play
from tests.support.stage import Stage


async def test_a_turn_that_ends_well_is_told_and_what_comes_then_is_said(play: Play) -> None:
    """The opening is the first prompt; after the turn the core's question is the next one."""
    first, text = await play.prompted()
    assert (text, play.turns.in_turn) == ("Do it.", True)
    await play.end(first)
    await play.idle()
    assert (play.turn_ends(), play.turns.in_turn) == (1, False)
    asked = play.say(ASK_FINAL)
    second, text = await play.prompted()
    assert text == ASK_FINAL
    assert await asked
    await play.end(second)
    await play.idle()
    assert play.turn_ends() == 2


async def test_what_is_said_in_a_turn_waits_for_its_end(play: Play, here: Stage) -> None:
    """Two messages become two turns, in order, each marked as read when it is said."""
    first, _ = await play.prompted()
    names = [await play.steer("one"), await play.steer("two")]
    said = [play.say("one", names[0]), play.say("two", names[1])]
    await play.idle()
    assert play.prompts.empty()
    assert here.told(MarkDelivered) == []
    for n, text in enumerate(("one", "two")):
        await play.end(first)
        first, heard = await play.prompted()
        assert heard == text
        assert await said[n]
        marks = [mark.message_ids for mark in here.told(MarkDelivered) if mark.read]
        assert marks == [(name,) for name in names[: n + 1]]
    assert play.turn_ends() == 0


async def test_what_rode_on_a_tools_answer_is_not_said_again(play: Play, here: Stage) -> None:
    """A message that was handed over in the turn is no prompt, and no end of a turn is lost."""
    first, _ = await play.prompted()
    name = await play.steer("one")
    said = play.say("one", name)
    play.memory.mailbox.note_read(name)
    await play.idle()
    await play.end(first)
    assert not await said
    await play.idle()
    assert play.prompts.empty()
    assert play.turn_ends() == 1


async def test_an_agent_that_takes_it_in_is_told_at_once(merging: Play) -> None:
    """The turn lasts until all of its prompts are answered."""
    first, _ = await merging.prompted()
    name = await merging.steer("one")
    said = merging.say("one", name)
    second, text = await merging.prompted()
    assert text == "one"
    assert await said
    await merging.end(first)
    await merging.idle()
    assert (merging.turn_ends(), merging.turns.in_turn) == (0, True)
    await merging.end(second)
    await merging.idle()
    assert (merging.turn_ends(), merging.turns.in_turn) == (1, False)


async def test_what_was_not_taken_in_is_said_again_at_the_end(merging: Play) -> None:
    """An error for the second prompt is no failure of the turn."""
    first, _ = await merging.prompted()
    said = merging.say("one", await merging.steer("one"))
    second, _ = await merging.prompted()
    assert await said
    await merging.fail(second)
    await merging.end(first)
    _, text = await merging.prompted()
    assert text == "one"
    assert not merging.living.done()


async def test_what_rode_on_a_tools_answer_is_not_said_into_the_turn(merging: Play) -> None:
    """It was read already, and the turn goes on."""
    await merging.prompted()
    name = await merging.steer("one")
    merging.memory.mailbox.note_read(name)
    await merging.idle()
    assert not await merging.say("one", name)
    assert merging.prompts.empty()
    assert merging.turns.in_turn


async def test_a_question_of_the_core_is_never_said_into_a_turn(merging: Play) -> None:
    """It is about a turn that has ended."""
    first, _ = await merging.prompted()
    merging.say(ASK_FINAL)
    await merging.idle()
    assert merging.prompts.empty()
    await merging.end(first)
    assert (await merging.prompted())[1] == ASK_FINAL


@pytest.mark.parametrize(
    ("stop", "reason"),
    [("refusal", "refusal"), ("max_tokens", "max-tokens"), ("max_turn_requests", "turn-limit")],
)
async def test_some_ends_end_the_run(play: Play, stop: str, reason: str) -> None:
    """A refusal or a limit is how the run ended."""
    first, _ = await play.prompted()
    await play.end(first, {"stopReason": stop})
    ending = await play.living
    assert ending is not None
    assert ending.reason == reason
    assert play.turn_ends() == 0


async def test_an_error_ends_the_run(play: Play) -> None:
    """The provider's words are kept."""
    first, _ = await play.prompted()
    await play.fail(first)
    ending = await play.living
    assert ending is not None
    assert (ending.stop_reason, "API Error: 529" in ending.said) == (StopReason.ERROR, True)


@pytest.mark.parametrize("stop", ["end_turn", "cancelled"])
async def test_after_a_refusal_it_is_told_once_how_to_go_on(play: Play, stop: str) -> None:
    """One prompt names what was refused; the next end of a turn is an end like any other."""
    first, _ = await play.prompted()
    play.memory.refusals.add(Refusal(why="src/x is none of yours", blocker="approval-required: a"))
    await play.end(first, {"stopReason": stop})
    second, text = await play.prompted()
    assert "src/x is none of yours" in text
    assert "approval-required: a" in text
    assert play.turn_ends() == 0
    play.memory.refusals.add(Refusal(why="again", blocker="approval-required: b"))
    await play.end(second)
    await play.idle()
    assert play.turn_ends() == 1
    said = play.say("try src/y", await play.steer("try src/y"))
    third, _ = await play.prompted()
    assert await said
    play.memory.refusals.add(Refusal(why="no", blocker="approval-required: c"))
    await play.end(third)
    assert "approval-required: c" in (await play.prompted())[1]


async def test_mail_is_a_turn_once_there_is_some(play: Play, here: Stage) -> None:
    """A nudge without mail begins nothing."""
    first, _ = await play.prompted()
    play.turns.nudge()
    await play.end(first)
    await play.idle()
    play.turns.nudge()
    await play.idle()
    assert play.prompts.empty()
    assert play.turn_ends() == 1


async def test_a_child_that_has_settled_is_said_nothing_more(play: Play, here: Stage) -> None:
    """The turn in which it settled is the last, however it ends."""
    first, _ = await play.prompted()
    said = play.say("one", await play.steer("one"))
    command = Cancel(node=play.node_id, caller=Caller(), **here.voice.now())
    await here.registry.submit(command)
    await play.end(first, {"stopReason": "max_tokens"})
    assert await play.living is None
    play.turns.close()
    assert not await said
    assert play.turn_ends() == 0
    assert not await play.say("late")


async def test_an_agent_that_is_lost_ends_the_turns(play: Play) -> None:
    """In the middle of a turn, the answer will never come."""
    await play.prompted()
    await play.connection.close()
    with pytest.raises(ConnectionLost):
        await play.living


async def test_an_agent_that_is_lost_between_turns_ends_them_too(play: Play) -> None:
    """Nothing is waited for any more."""
    first, _ = await play.prompted()
    await play.end(first)
    await play.idle()
    play.turns.close()
    with pytest.raises(ConnectionLost):
        await play.living


async def test_a_turn_is_cancelled_and_waited_for(play: Play) -> None:
    """Cancelling waits for the turn's answer; without a turn there is nothing to cancel."""
    first, _ = await play.prompted()
    cancelling = asyncio.ensure_future(play.turns.cancel())
    await play.idle()
    assert (play.cancels, cancelling.done()) == (1, False)
    await play.end(first, {"stopReason": "cancelled"})
    await cancelling
    await play.turns.cancel()
    assert play.cancels == 1


async def test_a_turn_begins_as_work_and_ends_without_open_calls(play: Play, here: Stage) -> None:
    """No sign of a turn is told after its end: a child that waits does not work."""
    first, _ = await play.prompted()
    play.memory.calls.note({"toolCallId": "1"})
    play.memory.signs.note("tool-call", Phase.IN_TOOL)
    await play.end(first)
    await play.idle()
    assert not play.memory.calls.any_open
    kinds = [type(told) for told in here.voice.told if isinstance(told, NoteSign | EndTurn)]
    assert kinds == [NoteSign, NoteSign, EndTurn]
