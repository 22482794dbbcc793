import asyncio
from typing import Any

import pytest

from subsessiond.adapters.runners.claude.control import AgentGone
from subsessiond.core.permit import Refusal
from subsessiond.model.commands import Caller, Cancel, MarkDelivered, NoteSign
from subsessiond.model.node import Phase, StopReason
from tests.support.claudeturns import Play
from tests.support.stage import Stage


async def test_a_turn_that_ends_well_is_told_and_what_comes_then_is_said(play: Play) -> None:
    """The opening is the first message; after the turn the core's question is the next one."""
    assert await play.begun() == "Do it."
    assert play.turns.in_turn
    play.end(result="bye")
    await play.idle()
    assert (play.turns.in_turn, play.turn_ends(), play.turns.last_words) == (False, 1, "bye")
    asked = play.say("And now?")
    assert await play.begun() == "And now?"
    assert await asked
    play.end()
    await play.idle()
    assert play.turn_ends() == 2


async def test_what_is_said_in_a_turn_goes_into_it(play: Play, here: Stage) -> None:
    """It counts as read once its model is shown it, and the turn ends as if it were alone."""
    await play.begun()
    message = await play.steer("look left")
    said = play.say("look left", message)
    name, text = await play.prompted()
    assert text == "look left"
    play.fate(name, "queued")
    await play.idle()
    assert not said.done()
    assert not [told for told in here.told(MarkDelivered) if told.read]
    play.tell("user", isReplay=True, uuid=name)
    assert await said
    assert [told.message_ids for told in here.told(MarkDelivered) if told.read] == [(message,)]
    play.fate(name, "completed")
    play.end()
    await play.idle()
    assert play.turn_ends() == 1


async def test_what_came_too_late_for_a_turn_begins_another(play: Play) -> None:
    """The agent begins it by itself: until that is over too, the turn is not."""
    await play.begun()
    said = play.say("look left", await play.steer("look left"))
    name, _ = await play.prompted()
    play.end()
    await play.idle()
    assert (play.turn_ends(), play.turns.in_turn) == (0, True)
    play.fate(name, "started")
    assert await said
    play.end()
    await play.idle()
    assert play.turn_ends() == 1


async def test_what_is_dropped_is_not_waited_for(play: Play) -> None:
    """It has not been read, and the turn it was to begin will not come."""
    await play.begun()
    said = play.say("look left", await play.steer("look left"))
    name, _ = await play.prompted()
    play.end()
    await play.idle()
    play.fate(name, "cancelled")
    assert not await said
    await play.idle()
    assert play.turn_ends() == 1


async def test_what_is_dropped_in_a_turn_leaves_the_turn(play: Play) -> None:
    """Nor does the fate of what nobody said change anything."""
    await play.begun()
    said = play.say("look left", await play.steer("look left"))
    name, _ = await play.prompted()
    play.fate(name, "cancelled")
    play.fate("unknown", "cancelled")
    play.fate("unknown", "started")
    assert not await said
    await play.idle()
    assert play.turns.in_turn
    play.end()
    await play.idle()
    assert play.turn_ends() == 1


async def test_an_agent_that_tells_nothing_has_read_all_when_its_turn_ends(play: Play) -> None:
    """Else its turns would never end."""
    await play.prompted()
    said = play.say("look left", await play.steer("look left"))
    await play.prompted()
    play.end()
    assert await said
    await play.idle()
    assert play.turn_ends() == 1


async def test_what_rode_on_a_tools_answer_is_not_said_again(play: Play, here: Stage) -> None:
    """A message that was handed over otherwise is said neither into the turn nor after it."""
    await play.begun()
    one, two = await play.steer("one"), await play.steer("two")
    assert here.voice.take(one)  # type: ignore[arg-type]
    assert not await play.say("one", one)
    play.end()
    await play.idle()
    assert here.voice.take(two)  # type: ignore[arg-type]
    assert not await play.say("two", two)
    await play.idle()
    assert play.prompts.empty()


async def test_a_question_of_the_core_is_never_said_into_a_turn(play: Play) -> None:
    """It is about a turn that has ended."""
    await play.begun()
    asked = play.say("Your final?")
    await play.idle()
    assert play.prompts.empty()
    play.end()
    assert await play.begun() == "Your final?"
    assert await asked


@pytest.mark.parametrize(
    ("end", "stop_reason", "reason"),
    [
        ({"stop_reason": "refusal", "is_error": True}, StopReason.REFUSAL, "refusal"),
        ({"is_error": True, "result": "API Error: 529"}, StopReason.ERROR, "agent-error"),
    ],
)
async def test_some_ends_end_the_run(
    play: Play, end: dict[str, object], stop_reason: StopReason, reason: str
) -> None:
    """A refusal or an error is how the run ended, though success stands above it."""
    await play.begun()
    play.end(**end)
    ending = await play.living
    assert ending is not None
    assert (ending.stop_reason, ending.reason) == (stop_reason, reason)


async def test_what_begins_a_turn_after_the_end_is_unread(play: Play) -> None:
    """The agent goes on by itself, and is ended."""
    await play.begun()
    said = play.say("look left", await play.steer("look left"))
    name, _ = await play.prompted()
    play.end(is_error=True)
    play.fate(name, "started")
    assert await play.living is not None
    assert not await said


async def test_after_a_refusal_it_is_told_once_how_to_go_on(play: Play) -> None:
    """One message names what was refused; the next end of a turn is an end like any other."""
    await play.begun()
    refusal = Refusal(why="w", blocker="approval-required: fs write x")
    play.memory.refusals.add(refusal)
    play.end()
    assert "approval-required: fs write x" in await play.begun()
    play.memory.refusals.add(refusal)
    play.end()
    await play.idle()
    assert (play.turn_ends(), play.prompts.empty()) == (1, True)


async def test_a_child_that_has_settled_is_said_nothing_more(play: Play, here: Stage) -> None:
    """The turn in which it settled is the last, however it ends."""
    await play.begun()
    command = Cancel(node=play.node_id, caller=Caller(), **here.voice.now())
    await here.registry.submit(command)
    play.end(is_error=True)
    assert await play.living is None
    assert play.turn_ends() == 0


async def test_an_agent_that_is_lost_ends_the_turns(play: Play) -> None:
    """What it was told and did not show to its model is unread."""
    await play.begun()
    said = play.say("look left", await play.steer("look left"))
    await play.prompted()
    play.turns.lose()
    with pytest.raises(AgentGone):
        await play.living
    assert not await said
    assert not play.turns.in_turn


async def test_an_end_that_was_told_before_the_agent_went_counts(play: Play) -> None:
    """Its last line is judged before its going."""
    await play.begun()
    play.end(is_error=True)
    play.turns.lose()
    assert await play.living is not None


async def test_nothing_can_be_said_to_an_agent_that_does_not_listen(play: Play) -> None:
    """Into a turn it is unread; between turns it is the end."""
    await play.begun()
    play.is_gone = True
    assert not await play.say("look left", await play.steer("look left"))
    play.turns.close()
    assert not await play.say("And now?")
    play.turns.lose()
    with pytest.raises(AgentGone):
        await play.living


async def test_a_turn_of_the_agents_own_ends_none_of_ours(play: Play, here: Stage) -> None:
    """A command in the background may wake it: its lines are no signs, its end is nobody's."""
    await play.begun()
    play.end()
    await play.idle()
    before = len(here.told(NoteSign))
    play.call("t1")
    play.end()
    assert len(here.told(NoteSign)) == before
    asked = play.say("And now?")
    await play.begun()
    await asked
    await play.idle()
    assert play.turns.in_turn


async def test_a_turn_is_interrupted_until_nothing_of_it_follows(play: Play) -> None:
    """What waits begins a turn of its own, which is interrupted as well."""
    name, _ = await play.prompted()
    play.say("look left", await play.steer("look left"))
    late, _ = await play.prompted()
    cancelling = asyncio.ensure_future(play.turns.cancel())
    await play.idle()
    assert play.interrupts == 1
    play.fate(name, "started")
    await play.idle()
    assert play.interrupts == 2
    play.end(is_error=True, terminal_reason="aborted_streaming")
    await play.idle()
    assert not cancelling.done()
    play.fate(late, "started")
    await play.idle()
    play.end(is_error=True, terminal_reason="aborted_streaming")
    await cancelling
    assert play.interrupts >= 3
    before = play.interrupts
    await play.turns.cancel()
    assert play.interrupts == before


async def test_nobody_is_left_to_interrupt(play: Play) -> None:
    """Who cancels hears that the agent has gone."""
    await play.begun()
    play.is_gone = True
    with pytest.raises(AgentGone):
        await play.turns.cancel()


async def test_phases_follow_the_calls(play: Play, here: Stage) -> None:
    """In a tool from its call to its answer; a provider that makes it wait is told apart."""
    await play.begun()
    answered = [{"type": "tool_result", "tool_use_id": name} for name in ("t1", "t2", "t3")]
    calls = [{"type": "tool_use", "id": name} for name in ("t1", "t2", "t4")]
    lines: tuple[tuple[str, dict[str, Any]], ...] = (
        *(("assistant", {"message": {"content": [called]}}) for called in calls[:2]),
        ("user", {"message": {"content": answered[:1]}}),
        ("user", {"message": {"content": answered[1:]}}),
        ("system", {"subtype": "api_retry"}),
        ("system", {"subtype": "status"}),
        ("assistant", {"message": {"content": calls[2:]}}),
        ("result", {}),
    )
    for kind, words in lines:
        play.tell(kind, **words)
        await play.idle()
    assert [(told.sign, told.phase) for told in here.told(NoteSign)] == [
        ("prompt", Phase.WORKING),
        ("tool-call", Phase.IN_TOOL),
        ("tool-call", Phase.IN_TOOL),
        ("tool-update", Phase.IN_TOOL),
        ("tool-update", Phase.WORKING),
        ("rate-limited", Phase.RATE_LIMITED),
        ("tool-call", Phase.IN_TOOL),
    ]
