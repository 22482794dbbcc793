"""What an agent is shown over MCP is counted by the bytes of the texts that it gets."""

from typing import Any

import msgspec

from subsessiond.core.words.tools import ROOT_INSTRUCTIONS
from subsessiond.model.commands import ConfirmStart
from subsessiond.model.ids import NodeId
from subsessiond.model.ledger import Account
from subsessiond.model.report import Outcome, Stage
from tests.support.desk import Bench, as_node
from tests.support.mcp_agent import Agent


async def account(bench: Bench, node_id: str) -> Account:
    """Read what was counted of a node."""
    return (await bench.desk.ledger.of((NodeId(node_id),)))[NodeId(node_id)]


def size(result: Any) -> int:
    """Count the bytes of a result's texts, and of the data beside them."""
    data = result.get("structuredContent")
    beside = 0 if data is None else len(msgspec.json.encode(data))
    return sum(len(part["text"].encode()) for part in result["content"]) + beside


async def test_every_text_is_of_the_child_it_is_about(bench: Bench) -> None:
    """Spawn, mail, its repeat, a look, a refusal: each in its place, to the byte."""
    root = await bench.root()
    agent = Agent(bench, as_node(root))
    made = await agent.tool("subsession_spawn", role="worker", mission="work", tokenCap=20_000)
    child = msgspec.json.decode(made["content"][0]["text"])["nodeId"]
    await bench.finish(child, "all ☂ done")
    mail = await agent.tool("subsession_inbox", acknowledge=False)
    again = await agent.tool("subsession_inbox", acknowledge=False)
    tree = await agent.tool("subsession_tree")
    node = await agent.tool("subsession_node", nodeId=child)
    steer = await agent.tool("subsession_steer", nodeId=child, text="go")
    cancel = await agent.tool("subsession_cancel", nodeId=child)
    assert steer["isError"]
    found = await account(bench, child)
    assert found.mail == size(mail)
    assert found.again == size(again) == size(mail) + len("(again) ")
    assert found.answers == sum(map(size, (made, tree, node, steer, cancel)))
    assert (await account(bench, root)).general == 0
    await agent.leave()


async def test_what_is_of_no_child_is_the_parents(bench: Bench) -> None:
    """Refused spawns, bad arguments, an empty mailbox, an empty tree."""
    root = await bench.root()
    agent = Agent(bench, as_node(root))
    results = [
        await agent.tool("subsession_spawn", role="nobody", mission="work"),
        await agent.tool("subsession_spawn", role=4),
        await agent.tool("subsession_inbox"),
        await agent.tool("subsession_tree"),
        await agent.tool("subsession_node", nodeId=root),
        await agent.tool("subsession_spawn", role="worker", mission="w", checkOnly=True),
        (await agent.ask("tools/call", name="subsession_tree", arguments=[]))["result"],
    ]
    assert (await account(bench, root)).general == sum(map(size, results))
    await agent.leave()


async def test_a_child_is_not_its_own_parent(bench: Bench) -> None:
    """What it is answered to its own reports, and what rides on that, is counted for nobody."""
    root = await bench.root()
    lead = await bench.child(root, role="lead")
    agent = Agent(bench, as_node(lead))
    await bench.call("subsession.steer", nodeId=lead, text="faster")
    told = await agent.tool("report", output="here")
    assert len(told["content"]) == 2
    assert (await account(bench, lead)) == Account(node_id=NodeId(lead))
    await bench.call("subsession.steer", nodeId=lead, text="slower")
    ridden = await agent.tool("subsession_tree")
    own = len(ridden["content"][0]["text"].encode())
    assert (await account(bench, lead)).general == own
    await agent.leave()


async def test_a_final_that_is_refused_for_its_children_is_shown_because_of_them(
    bench: Bench,
) -> None:
    """It names them all, so it is of no one child; other refusals of reports are its own."""
    root = await bench.root()
    lead = await bench.child(root, role="lead")
    await bench.child(lead)
    agent = Agent(bench, as_node(lead))
    final = {"stage": "final", "outcome": "completed"}
    refused = await agent.tool("report", output="done", **final)
    assert refused["structuredContent"]["code"] == "CHILDREN_LIVE"
    assert (await agent.tool("report", output="done", stage="final"))["isError"]
    assert (await account(bench, lead)).general == size(refused)
    await agent.leave()


async def test_one_answer_with_mail_of_three_is_shared_exactly(bench: Bench) -> None:
    """The parts make up the text; what stands between them is shared evenly."""
    root = await bench.root()
    agent = Agent(bench, as_node(root))
    children = [await bench.child(root, ownedGlobs=[f"{n}/**"]) for n in range(3)]
    for number, child in enumerate(children):
        await bench.say(child, "x" * 10 * number, Stage.FINDING)
    mail = await agent.tool("subsession_inbox")
    frame = len(f"Background subagent {root} reported:".encode())
    own = [frame + (11 * number if number == 1 else 1 + 20 if number else 0) for number in range(3)]
    found = [(await account(bench, child)).mail for child in children]
    assert sum(found) == size(mail)
    assert [counted - size_ for counted, size_ in zip(found, own, strict=True)] == [2, 1, 1]
    await agent.leave()


async def test_a_call_that_was_taken_back_was_shown_to_nobody(bench: Bench) -> None:
    """Its answer never left."""
    root = await bench.root()
    agent = Agent(bench, as_node(root))
    params = {"name": "subsession_inbox", "arguments": {"waitMs": 40_000}}
    await agent.send({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})
    cancelled = {"method": "notifications/cancelled", "params": {"requestId": 1}}
    await agent.send({"jsonrpc": "2.0", **cancelled})
    await agent.tool("subsession_tree")
    general = (await account(bench, root)).general
    assert general == size(agent.heard[-1]["result"])
    await agent.leave()


async def test_definitions_are_counted_once_as_they_were_given(bench: Bench) -> None:
    """However often they are listed; the instructions with them."""
    root = await bench.root()
    agent = Agent(bench, as_node(root))
    assert (await account(bench, root)).definitions is None
    for _ in range(2):
        listed = (await agent.ask("tools/list"))["result"]["tools"]
    size_ = len(msgspec.json.encode(listed)) + len(ROOT_INSTRUCTIONS.encode())
    assert (await account(bench, root)).definitions == size_
    await agent.leave()


async def test_a_successor_reads_what_its_predecessor_was_sent(bench: Bench) -> None:
    """It is of the child that wrote it, whoever reads it; the orphan's figures stay its own."""
    root = await bench.root()
    lead = await bench.child(root, role="lead", ownedGlobs=["src/**"])
    child = await bench.child(lead, ownedGlobs=["src/a"])
    await bench.say(child, "half of it", Stage.FINDING)
    await bench.say(lead, "cannot", Stage.FINAL, outcome=Outcome.FAILED)
    for node_id in (child, lead):
        await bench.gone(node_id)
    assert bench.node(child).settlement is not None
    heir = (await bench.call("subsession.succeed", childId=lead))["nodeId"]
    await bench.tell(ConfirmStart(node=heir, **bench.desk.stamps()))
    agent = Agent(bench, as_node(heir))
    mail = await agent.tool("subsession_inbox")
    assert "half of it" in mail["content"][0]["text"]
    assert (await account(bench, child)).mail == size(mail)
    assert (await account(bench, heir)).general == 0
    answer = await bench.call("subsession.stats", nodeId=child)
    (row,) = answer["rows"]
    assert (row["state"], row["shownBytes"]) == ("released", size(mail))
    await agent.leave()
