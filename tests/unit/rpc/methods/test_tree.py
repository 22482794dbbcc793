"""`rpc.methods.tree`."""

import asyncio

import pytest

from subsessiond.model.commands import NoteSign
from subsessiond.model.ids import NodeId
from subsessiond.model.rejection import Code
from subsessiond.model.report import Stage
from tests.support.desk import PERSON, Bench, as_node
from tests.support.trees import node_id


async def test_the_operator_sees_every_tree_in_pages(bench: Bench) -> None:
    """Pages follow each other by cursor, by id, and hold every node once."""
    one, two = await bench.root(), await bench.root()
    children = [await bench.child(root) for root in (one, two, one)]
    shown: list[str] = []
    after: dict[str, str] = {}
    for _ in range(9):
        page = await bench.call("subsession.tree", PERSON, limit=2, **after)
        shown += [row["nodeId"] for row in page["rows"]]
        if "next" not in page:
            break
        after = {"after": page["next"]}
    assert shown == sorted([one, two, *children])


async def test_one_tree_can_be_asked_for(bench: Bench) -> None:
    """With rootId only that root and what is below it is shown."""
    one, two = await bench.root(), await bench.root()
    child = await bench.child(one)
    grandchild = await bench.child(await bench.child(one, "lead"), "reader")
    await bench.child(two)
    page = await bench.call("subsession.tree", rootId=one)
    ids = [row["nodeId"] for row in page["rows"]]
    assert len(ids) == 4
    assert {one, child, grandchild} < set(ids)
    assert (await bench.refusal("subsession.tree", rootId=child)).code is Code.NOT_FOUND


async def test_a_node_sees_its_own_children_alone(bench: Bench) -> None:
    """A parent is shown rows of its children, 25 a page however many it asks for, no missions."""
    root = await bench.root()
    lead = await bench.child(root, "lead", mission="the secret mission", title="lead")
    grandchild = await bench.child(lead, "reader")
    for _ in range(26):
        await bench.child(root, "reader")
    page = await bench.call("subsession.tree", as_node(root), limit=2_000)
    ids = [row["nodeId"] for row in page["rows"]]
    assert len(ids) == 25
    assert grandchild not in ids
    assert "secret" not in str(page)
    rest = await bench.call("subsession.tree", as_node(root), after=page["next"])
    assert len(rest["rows"]) == 2
    assert "next" not in rest


async def test_a_node_may_name_no_root_but_its_own(bench: Bench) -> None:
    """Another tree looks as if it were not there."""
    one, two = await bench.root(), await bench.root()
    assert (await bench.call("subsession.tree", as_node(one), rootId=one))["rows"] == []
    refused = await bench.refusal("subsession.tree", as_node(one), rootId=two)
    assert refused.code is Code.NOT_FOUND


async def test_only_what_changed_is_shown_after_a_cursor(bench: Bench) -> None:
    """From a cursor on only changed rows come, and the new cursor brings none again."""
    root = await bench.root()
    quiet, loud = await bench.child(root, "reader"), await bench.child(root, "reader")
    seq = (await bench.call("subsession.tree"))["seq"]
    await bench.say(loud, "words", Stage.FINDING)
    for by in ({}, {"by": as_node(root)}):
        page = await bench.call("subsession.tree", sinceSeq=seq, **by)
        ids = [row["nodeId"] for row in page["rows"]]
        assert loud in ids
        assert quiet not in ids
        assert not page["resync"]
        again = await bench.call("subsession.tree", sinceSeq=page["seq"], **by)
        assert again["rows"] == []


async def test_changes_beyond_a_page_are_not_lost(bench: Bench) -> None:
    """A reader that takes small pages of changes comes to the same rows by following the cursor."""
    root = await bench.root()
    seq = (await bench.call("subsession.tree"))["seq"]
    children = {await bench.child(root, "reader") for _ in range(7)}
    seen: set[str] = set()
    for _ in range(30):
        page = await bench.call("subsession.tree", sinceSeq=seq, limit=2)
        seen |= {row["nodeId"] for row in page["rows"]}
        assert page["seq"] >= seq
        seq = page["seq"]
        if seq == bench.tree.seq:
            break
    assert seen == children


async def test_a_cursor_from_before_the_start_begins_anew(bench: Bench) -> None:
    """A cursor that this daemon never gave, or no longer knows, gives whole rows."""
    root = await bench.root()
    page = await bench.call("subsession.tree", sinceSeq=bench.tree.seq + 1)
    assert page["resync"]
    assert [row["nodeId"] for row in page["rows"]] == [root]


async def test_signs_of_life_show_without_moving_the_cursor(bench: Bench) -> None:
    """Telemetry has no number: its row comes with the next look from the same cursor."""
    child = await bench.child(await bench.root())
    seq = (await bench.call("subsession.tree"))["seq"]
    await bench.tell(NoteSign(node=NodeId(child), sign="tool", **bench.desk.stamps()))
    page = await bench.call("subsession.tree", sinceSeq=seq)
    assert [row["lastSign"] for row in page["rows"]] == ["tool"]
    assert page["seq"] == seq


@pytest.mark.parametrize("by_parent", [True, False])
async def test_a_reader_waits_for_a_change(bench: Bench, by_parent: bool) -> None:
    """A call that waits is answered by the change, not by the clock."""
    root = await bench.root()
    child = await bench.child(root)
    by = {"by": as_node(root)} if by_parent else {}
    seq = bench.tree.seq
    call = bench.call("subsession.tree", sinceSeq=seq, waitMs=20_000, **by)
    waiting = asyncio.create_task(call)
    await asyncio.sleep(0)
    assert not waiting.done()
    await bench.finish(child)
    page = await asyncio.wait_for(waiting, 10)
    assert child in [row["nodeId"] for row in page["rows"]]


async def test_a_parent_is_not_woken_by_others(bench: Bench) -> None:
    """What happens in another tree does not end a parent's waiting."""
    root, other = await bench.root(), await bench.root()
    await bench.child(root)
    call = bench.call("subsession.tree", as_node(root), sinceSeq=bench.tree.seq, waitMs=50_000)
    waiting = asyncio.create_task(call)
    await asyncio.sleep(0)
    await bench.child(other)
    for _ in range(5):
        await asyncio.sleep(0)
    assert not waiting.done()
    child = await bench.child(root)
    page = await asyncio.wait_for(waiting, 10)
    assert child in [row["nodeId"] for row in page["rows"]]


async def test_nobody_knows_a_node_that_is_not_there(bench: Bench) -> None:
    """A root that does not exist is not found."""
    refused = await bench.refusal("subsession.tree", rootId=node_id(5))
    assert refused.code is Code.NOT_FOUND
