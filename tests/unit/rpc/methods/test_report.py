"""`rpc.methods.report`, `checkpoint` and `receipt`."""

from typing import Any

import pytest

from subsessiond.model.rejection import Code
from subsessiond.model.report import Stage
from tests.support.desk import Bench, as_node
from tests.support.trees import node_id


async def said(bench: Bench, child: str, **report: Any) -> Any:
    """Report as a child."""
    return await bench.call("subsession.report", as_node(child), **report)


async def test_a_report_is_accepted_and_comes_to_the_parent(bench: Bench) -> None:
    """A report with its words alone is accepted as a message, which the parent is shown."""
    root = await bench.root()
    child = await bench.child(root)
    answer = await said(bench, child, output="half done")
    assert answer["already"] is False
    assert answer["messageId"] in answer["text"]
    shown = await bench.call("subsession.inbox", as_node(root))
    assert shown["messages"][0]["text"].endswith("\nhalf done")


async def test_a_node_reports_for_itself_alone(bench: Bench) -> None:
    """Another node's id is refused like one that is not there; one's own may be given."""
    root = await bench.root()
    child, sibling = await bench.child(root), await bench.child(root)
    await said(bench, child, output="x", nodeId=child)
    for other in (sibling, root, node_id(9)):
        refused = await bench.refusal("subsession.report", as_node(child), output="x", nodeId=other)
        assert refused.code is Code.NOT_FOUND


@pytest.mark.scenario("S35")
async def test_size_is_judged_before_shape(bench: Bench) -> None:
    """A report that is too large and malformed too is too large."""
    child = await bench.child(await bench.root())
    refused = await bench.refusal(
        "subsession.report", as_node(child), output="x" * 9_999, outcome="great", nonsense=1
    )
    assert refused.code is Code.REPORT_TOO_LARGE
    small = await bench.refusal("subsession.report", as_node(child), output="x", outcome="great")
    assert small.code is Code.REPORT_INVALID


async def test_a_repeated_final_gets_its_first_receipt(bench: Bench) -> None:
    """The same final again is answered as the first was."""
    child = await bench.child(await bench.root())
    final = {"stage": "final", "outcome": "completed", "output": "done"}
    first = await said(bench, child, **final)
    again = await said(bench, child, **final)
    assert again["messageId"] == first["messageId"]
    assert again["already"]


async def test_structured_data_is_held_against_the_schema(bench: Bench) -> None:
    """A completed final must satisfy the brief's schema; progress and other ends need not."""
    schema = {"type": "object", "required": ["n"], "properties": {"n": {"type": "integer"}}}
    root = await bench.root()
    child = await bench.child(root, reportContract={"outputSchema": schema})
    final = {"stage": "final", "outcome": "completed", "output": "done"}
    await said(bench, child, output="on the way")
    for structured in ({}, {"structured": {"n": "1"}}):
        refused = await bench.refusal("subsession.report", as_node(child), **final, **structured)
        assert refused.code is Code.OUTPUT_SCHEMA
        assert refused.detail.startswith("structured")
    assert (await said(bench, child, **final, structured={"n": 1}))["already"] is False
    other = await bench.child(root, reportContract={"outputSchema": schema})
    await said(bench, other, stage="final", outcome="failed", output="could not")


async def test_a_checkpoint_gives_a_pointer(bench: Bench) -> None:
    """A checkpoint is saved as the next line of the child's journal; bad fields are all named."""
    child = await bench.child(await bench.root())
    answer = await bench.call(
        "subsession.checkpoint", as_node(child), phase="p", state="s", nextStep="n"
    )
    assert answer["pointer"].endswith(f"{child}.journal.jsonl#{answer['line']}")
    refused = await bench.refusal("subsession.checkpoint", as_node(child), phase="p", other=1)
    assert refused.code is Code.CHECKPOINT_INVALID
    assert {fault.path for fault in refused.fields} == {"state", "nextStep", "other"}


async def test_a_receipt_follows_a_message(bench: Bench) -> None:
    """A message is staged, then delivered, then acknowledged; its sender and reader may ask."""
    root = await bench.root()
    child = await bench.child(root)
    sent = (await said(bench, child, stage="finding", output="look"))["messageId"]

    async def state(who: str) -> str:
        answer = await bench.call("subsession.receipt", as_node(who), messageId=sent)
        return str(answer["state"])

    assert await state(child) == "staged"
    await bench.call("subsession.inbox", as_node(root))
    await bench.child(root)
    assert await state(child) == "delivered"
    await bench.call("subsession.inbox", as_node(root), acknowledge=True)
    assert await state(child) == "acknowledged"
    assert await state(root) == "acknowledged"


async def test_a_superseded_report_says_so(bench: Bench) -> None:
    """Progress still unread when the final comes is superseded, and its receipt tells."""
    child = await bench.child(await bench.root())
    sent = (await said(bench, child, stage="progress", output="soon"))["messageId"]
    await bench.say(child, "done", Stage.FINAL)
    answer = await bench.call("subsession.receipt", as_node(child), messageId=sent)
    assert answer["state"] == "superseded"


async def test_a_receipt_of_others_is_not_found(bench: Bench) -> None:
    """A message of a sibling, one that was never sent, and one of nobody look the same."""
    root = await bench.root()
    child, sibling = await bench.child(root), await bench.child(root)
    sent = (await said(bench, sibling, output="x"))["messageId"]
    for message in (sent, f"{child}.7", f"{node_id(9)}.1"):
        refused = await bench.refusal("subsession.receipt", as_node(child), messageId=message)
        assert refused.code is Code.NOT_FOUND


async def test_a_receipt_is_the_same_after_a_restart(bench: Bench) -> None:
    """What left its mailbox in an earlier life of the daemon is read from the events."""
    root = await bench.root()
    child = await bench.child(root)
    soon = (await said(bench, child, stage="progress", output="soon"))["messageId"]
    found = (await said(bench, child, stage="finding", output="look"))["messageId"]
    steered = (await bench.call("subsession.steer", nodeId=child, text="left"))["messageId"]
    await bench.say(child, "done", Stage.FINAL)
    final = bench.node(child).settlement
    assert final is not None
    shown = await bench.call("subsession.inbox", as_node(root))
    ids = [message["messageId"] for message in shown["messages"]]
    await bench.call("subsession.inbox", as_node(root), acknowledge=ids)

    async def states() -> list[str]:
        named = (soon, found, steered, final.message_id)
        return [
            (await bench.call("subsession.receipt", messageId=message))["state"]
            for message in named
        ]

    before = await states()
    bench.desk.changes._moved.clear()  # noqa: SLF001 - what a restart does
    assert await states() == before
    assert before == ["superseded", "acknowledged", "undeliverable", "acknowledged"]


async def test_what_is_not_known_is_not_claimed(bench: Bench) -> None:
    """Where the events are lost with the store, a state is unknown; a final was acknowledged."""
    root = await bench.root()
    child = await bench.child(root)
    sent = (await said(bench, child, stage="finding", output="look"))["messageId"]
    await bench.say(child, "done", Stage.FINAL)
    final = bench.node(child).settlement
    assert final is not None
    shown = await bench.call("subsession.inbox", as_node(root))
    ids = [message["messageId"] for message in shown["messages"]]
    await bench.call("subsession.inbox", as_node(root), acknowledge=ids)
    bench.desk.changes._moved.clear()  # noqa: SLF001 - what a restart does
    bench.store.forget_events()
    states = [
        (await bench.call("subsession.receipt", messageId=message))["state"]
        for message in (sent, final.message_id)
    ]
    assert states == ["unknown", "acknowledged"]
