from subsessiond.core.words.unread import waiting_told
from subsessiond.model.ids import NodeId
from subsessiond.model.report import Stage
from subsessiond.rpc.call import Call
from subsessiond.rpc.mcp.announcing import announced
from tests.support.desk import PERSON, Bench, as_node
from tests.support.mcp_agent import Agent


async def test_a_root_hears_of_mail_on_its_next_answer(bench: Bench) -> None:
    """Whatever that answer is, a refusal too; once for each time that some came."""
    root = await bench.root()
    one, two = await bench.child(root), await bench.child(root)
    agent = Agent(bench, as_node(root))
    assert len((await agent.tool("subsession_tree"))["content"]) == 1
    await bench.finish(one)
    said = [await agent.tool(name) for name in ("subsession_node", "subsession_tree")]
    assert said[0]["isError"]
    assert said[0]["content"][1:] == [{"type": "text", "text": waiting_told(1)}]
    assert len(said[1]["content"]) == 1
    await bench.finish(two)
    assert (await agent.tool("subsession_tree"))["content"][1]["text"] == waiting_told(2)
    await agent.leave()


async def test_what_was_read_is_not_told_of(bench: Bench) -> None:
    """A mailbox says it all itself, and its reader knows afterwards."""
    root = await bench.root()
    child = await bench.child(root)
    agent = Agent(bench, as_node(root))
    await bench.finish(child)
    assert len((await agent.tool("subsession_inbox"))["content"]) == 1
    assert len((await agent.tool("subsession_tree"))["content"]) == 1
    await agent.leave()


async def test_signs_of_life_are_not_worth_a_word(bench: Bench) -> None:
    """Progress comes along with the next mail that is."""
    root = await bench.root()
    child = await bench.child(root)
    await bench.say(child, "half way", Stage.PROGRESS)
    assert announced(bench.desk, Call(as_node(root))) == ()


async def test_only_roots_are_told(bench: Bench) -> None:
    """A child is prompted with its mail, and a person has no mailbox."""
    root = await bench.root()
    lead = await bench.child(root, role="lead")
    await bench.finish(await bench.child(lead))
    for caller in (as_node(lead), PERSON, as_node("0" * 26)):
        assert announced(bench.desk, Call(caller)) == ()
    assert NodeId(lead) not in bench.desk.changes.announced


async def test_it_is_counted_as_shown_to_the_root(bench: Bench) -> None:
    """Of no child: it holds nothing of one."""
    root = await bench.root()
    await bench.finish(await bench.child(root))
    agent = Agent(bench, as_node(root))
    before = (await bench.desk.ledger.of((NodeId(root),))).get(NodeId(root))
    (answer, told) = (await agent.tool("subsession_tree"))["content"]
    after = (await bench.desk.ledger.of((NodeId(root),)))[NodeId(root)]
    grown = after.general - (before.general if before is not None else 0)
    assert len(told["text"]) <= grown <= len(told["text"]) + len(answer["text"])
    await agent.leave()
