"""Turns that begin with mail."""

import pytest

from subsessiond.model.message import MessageState
from tests.support.acpturns import Play
from tests.support.mailing import put_mail
from tests.support.stage import Stage


async def test_mail_is_read_when_its_turn_ended_well(play: Play, here: Stage) -> None:
    """All that waits is one turn; it is delivered before it is said, and read at its end."""
    first, _ = await play.prompted()
    put_mail(here, play.node_id, "1")
    put_mail(here, play.node_id, "2")
    play.turns.nudge()
    await play.end(first)
    second, text = await play.prompted()
    assert text == "1\n\n2"
    box = here.registry.tree.mail[play.node_id]
    assert [m.state for m in box] == [MessageState.DELIVERED] * 2
    await play.end(second)
    await play.idle()
    assert play.node_id not in here.registry.tree.mail
    assert play.prompts.empty()


@pytest.mark.parametrize("end", ["refusal", "error"])
async def test_mail_of_a_turn_that_died_stays(play: Play, here: Stage, end: str) -> None:
    """Nobody knows whether it was read: whoever takes over is shown it again."""
    first, _ = await play.prompted()
    put_mail(here, play.node_id, "1")
    play.turns.nudge()
    await play.end(first)
    second, _ = await play.prompted()
    await (play.fail(second) if end == "error" else play.end(second, {"stopReason": end}))
    assert await play.living is not None
    await here.settled_queue()
    (message,) = here.registry.tree.mail[play.node_id]
    assert message.state is MessageState.DELIVERED


async def test_mail_that_was_not_taken_in_comes_again_marked(merging: Play, here: Stage) -> None:
    """The turn went on with what was said into it; the mail begins the next."""
    first, _ = await merging.prompted()
    put_mail(here, merging.node_id, "1")
    merging.turns.nudge()
    await merging.end(first)
    second, text = await merging.prompted()
    assert text == "1"
    said = merging.say("one", await merging.steer("one"))
    third, _ = await merging.prompted()
    await merging.fail(second)
    await merging.end(third)
    fourth, text = await merging.prompted()
    assert text == "(again) 1"
    assert await said
    await merging.end(fourth)
    await merging.idle()
    assert merging.node_id not in here.registry.tree.mail
