import asyncio

from subsessiond.adapters.runners.jsonl.talk import Talk
from subsessiond.adapters.runners.mailbox import Mailbox
from subsessiond.adapters.runners.saying import Said
from subsessiond.model.commands import Caller, ConfirmStart, MarkDelivered, Steer
from subsessiond.model.ids import NodeId
from tests.support.mailing import put_mail
from tests.support.stage import Stage


class Told:
    """A child's talk, and what it told of the ends of its turns."""

    def __init__(self, here: Stage, node_id: NodeId) -> None:
        self.here = here
        self.node_id = node_id
        self.talk = Talk(Mailbox(here.voice, node_id))
        self.ends = 0
        self.ended = asyncio.Event()

    def end(self) -> None:
        """Count an end."""
        self.ends += 1
        self.ended.set()

    def next(self) -> "asyncio.Future[Said | None]":
        """Wait for what is said next."""
        return asyncio.ensure_future(self.talk.next(self.end))

    async def steer(self, text: str) -> str:
        """Say something to the child; gives the message's name."""
        command = Steer(node=self.node_id, text=text, caller=Caller(), **self.here.voice.now())
        reply = await self.here.registry.submit(command)
        return str(reply.message_id)  # type: ignore[union-attr]


async def make(here: Stage) -> Told:
    """Admit a child and let it run."""
    node_id = await here.admit(role="worker")
    await here.voice.ask(ConfirmStart(node=node_id, **here.voice.now()))
    return Told(here, node_id)


async def test_a_turn_ends_only_where_there_is_nothing_to_say(here: Stage) -> None:
    """What came while it ran is said at once; the end is told once, however often news comes."""
    told = await make(here)
    asking = asyncio.ensure_future(told.talk.say(None, "your final?"))
    await asyncio.sleep(0)
    said = await told.next()
    assert said is not None
    assert (said.text, told.ends) == ("your final?", 0)
    told.talk.note_said(said)
    assert await asking
    waiting = told.next()
    await told.ended.wait()
    told.talk.nudge()  # of mail that is gone again
    await here.settled_queue()
    assert not waiting.done()
    put_mail(here, told.node_id, "1")
    told.talk.nudge()
    said = await waiting
    assert said is not None
    assert (said.text, told.ends) == ("1", 1)


async def test_mail_is_read_once_its_run_ended_well(here: Stage) -> None:
    """It is noted as handed over before it is said, and as read only then."""
    told = await make(here)
    put_mail(here, told.node_id, "1")
    told.talk.nudge()
    assert await told.next() is not None
    assert [sent.read for sent in here.told(MarkDelivered)] == [False, False]
    told.talk.note_heard()
    assert [sent.read for sent in here.told(MarkDelivered)] == [False, False, True]


async def test_a_steer_is_said_once(here: Stage) -> None:
    """One that rode on a tool's answer meanwhile is not said again."""
    told = await make(here)
    names = [await told.steer(text) for text in ("north", "south")]
    first, second = (asyncio.ensure_future(told.talk.say(name, "x")) for name in names)
    await asyncio.sleep(0)
    assert Mailbox(here.voice, told.node_id).take_one(names[0])
    said = await told.next()
    assert said is not None
    assert said.message_id == names[1]
    assert not await first
    told.talk.note_said(said)
    assert await second
    await here.settled_queue()
    assert [m.message_id for m in here.registry.tree.mail[told.node_id]] == [names[0]]


async def test_a_close_leaves_the_rest_unsaid(here: Stage) -> None:
    """Nobody waits any more, for the next run or to be heard."""
    told = await make(here)
    waiting = told.next()
    await told.ended.wait()
    told.talk.close()
    assert await waiting is None
    assert not await told.talk.say(None, "late")
    assert told.ends == 1


async def test_what_waits_unsaid_is_told(here: Stage) -> None:
    """Who said something to a child that ends hears that it was not read."""
    told = await make(here)
    saying = asyncio.ensure_future(told.talk.say(None, "x"))
    await asyncio.sleep(0)
    told.talk.close()
    assert not await saying
