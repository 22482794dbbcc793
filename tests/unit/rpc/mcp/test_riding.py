from collections.abc import AsyncIterator

import pytest_asyncio

from subsessiond.model.ids import NodeId
from subsessiond.model.message import MessageState
from subsessiond.rpc.call import Call
from subsessiond.rpc.mcp.riding import riding_mail
from tests.support.desk import Bench, as_node
from tests.support.mcp_agent import Agent

FRAME = "Message from the agent that started you:\n"


class House:
    """A child that is told things while it works."""

    def __init__(self, bench: Bench, root: str, child: str) -> None:
        self.bench, self.root, self.child = bench, root, child
        self.agent = Agent(bench, as_node(child))

    async def steer(self, text: str) -> str:
        """Say something to it; gives the message's id."""
        params = {"nodeId": self.child, "text": text}
        answer = await self.bench.call("subsession.steer", as_node(self.root), **params)
        return str(answer["messageId"])

    async def texts(self, name: str = "report", **arguments: str) -> list[str]:
        """Call a tool and give every text of its answer."""
        result = await self.agent.tool(name, **(arguments or {"output": "x"}))
        return [content["text"] for content in result["content"]]

    def box(self) -> dict[str, MessageState]:
        """Give what waits for it."""
        return {m.message_id: m.state for m in self.bench.tree.mail.get(NodeId(self.child), ())}


@pytest_asyncio.fixture
async def house(bench: Bench) -> AsyncIterator[House]:
    """Give a child at work."""
    root = await bench.root()
    made = House(bench, root, await bench.child(root))
    yield made
    await made.agent.leave()


async def test_what_was_said_rides_on_the_next_answer_once(house: House) -> None:
    """Its text comes after the answer, and it is read then: the sender's receipt says so."""
    message = await house.steer("look at b.py too")
    first, second = await house.texts()
    assert first.startswith("report accepted")
    assert second == f"{FRAME}look at b.py too"
    assert len(await house.texts()) == 1
    assert house.box() == {}
    receipt = await house.bench.call("subsession.receipt", as_node(house.root), messageId=message)
    assert receipt["state"] == "acknowledged"


async def test_a_refusal_carries_it_too(house: House) -> None:
    """Whatever the answer is, the model reads it."""
    await house.steer("stop")
    result = await house.agent.tool("report", output=7)
    assert result["isError"]
    assert result["content"][1]["text"] == f"{FRAME}stop"


async def test_other_answers_carry_nothing(house: House) -> None:
    """A list of tools is not read by a model in its turn."""
    message = await house.steer("x")
    await house.agent.ask("tools/list")
    await house.agent.ask("ping")
    assert house.box() == {message: MessageState.STAGED}


async def test_more_than_fits_rides_on_the_next_answers(house: House) -> None:
    """Oldest first, one of the largest at a time, none lost and none twice."""
    for letter in "abc":
        await house.steer(letter * 6_000)
    said = [text for _ in range(4) for text in (await house.texts())[1:]]
    assert said == [FRAME + letter * 6_000 for letter in "abc"]


async def test_two_answers_at_once_carry_it_once(house: House) -> None:
    """What one answer has taken is not taken by another before the registry knows."""
    call = Call(as_node(house.child))
    await house.steer("at once")
    assert riding_mail(house.bench.desk, call) == (f"{FRAME}at once",)
    assert riding_mail(house.bench.desk, call) == ()
    await house.steer("once")
    for call_id in (1, 2):
        params = {"name": "report", "arguments": {"output": f"{call_id}"}}
        await house.agent.send(
            {"jsonrpc": "2.0", "id": call_id, "method": "tools/call", "params": params}
        )
    answers = [(await house.agent.answer(call_id))["result"] for call_id in (1, 2)]
    texts = [content["text"] for answer in answers for content in answer["content"]]
    assert texts.count(f"{FRAME}once") == 1


async def test_reports_of_children_do_not_ride(house: House) -> None:
    """A parent reads those from its inbox, where it acknowledges them."""
    lead = await house.bench.child(house.root, role="lead")
    child = await house.bench.child(lead)
    await house.bench.finish(child)
    agent = Agent(house.bench, as_node(lead))
    result = await agent.tool("report", output="x")
    assert len(result["content"]) == 1
    await agent.leave()


async def test_a_mailbox_shows_it_as_mail(house: House) -> None:
    """Where mail is read it is read there, once, and nothing rides on the next answer."""
    lead = await house.bench.child(house.root, role="lead")
    await house.bench.call("subsession.steer", as_node(house.root), nodeId=lead, text="more")
    agent = Agent(house.bench, as_node(lead))
    assert await agent.text("subsession_inbox") == f"{FRAME}more"
    await agent.text("report", output="x")
    await agent.leave()


async def test_nothing_is_taken_for_an_agent_that_is_gone(house: House) -> None:
    """An answer that nobody can get carries nothing away."""
    message = await house.steer("x")
    params = {"name": "report", "arguments": {"output": "last words"}}
    await house.agent.send({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})
    house.agent.flow.connection.close()
    await house.agent.running.settle(10)
    assert house.bench.node(house.child).reports == 1
    assert house.box() == {message: MessageState.STAGED}
