"""`rpc.methods.spawn` and `rpc.methods.starting`."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from subsessiond.core.bounds import bytes_of_tokens
from subsessiond.model.commands import ConfirmStart, FailStart
from subsessiond.model.effects import StartChild
from subsessiond.model.ids import NodeId
from subsessiond.model.node import Status
from subsessiond.model.rejection import Code
from subsessiond.model.report import Stage
from subsessiond.ports import WorkspaceBusy, WorkspaceFault
from subsessiond.rpc.guard import IN_FLIGHT_MOST, REFUSALS_MOST
from tests.support.desk import PERSON, Bench, as_node
from tests.support.trees import node_id

WORK = {"mission": "work", "tokenCap": 20_000}


async def spawn(bench: Bench, parent: str, **params: Any) -> Any:
    """Spawn as the operator."""
    made = {"parentId": parent, "role": "worker", "brief": WORK, **params}
    return await bench.call("subsession.spawn", PERSON, **made)


async def test_a_spawn_is_answered_at_admission(bench: Bench) -> None:
    """Without a wish to wait the answer comes when the child is claimed, and its start is asked."""
    root = await bench.root()
    answer = await spawn(bench, root)
    assert answer == {
        "nodeId": answer["nodeId"],
        "state": "claimed",
        "claimedAt": bench.clock.at_ms,
        "warnings": [],
    }
    started = [effect.node for effect in bench.effects if isinstance(effect, StartChild)]
    assert started == [answer["nodeId"]]


async def test_the_parent_of_a_nodes_child_is_derived(bench: Bench) -> None:
    """A node spawns below itself; it cannot name another, nor leave out what the operator must."""
    root, other = await bench.root(), await bench.root()
    made = {"role": "worker", "brief": WORK}
    child = await bench.call("subsession.spawn", as_node(root), **made)
    assert bench.node(child["nodeId"]).parent == root
    for parent in (other, node_id(5)):
        refused = await bench.refusal("subsession.spawn", as_node(root), parentId=parent, **made)
        assert refused.code is Code.NOT_FOUND
    refused = await bench.refusal("subsession.spawn", PERSON, **made)
    assert (refused.code, refused.step) == (Code.NOT_FOUND, "parent")


async def test_every_bad_field_of_a_brief_is_named(bench: Bench) -> None:
    """A brief is refused by the registry, in its pinned order, with all its faults."""
    root = await bench.root()
    brief = {"mission": "", "tokenCap": "many", "ownedGlobs": [1]}
    refused = await bench.refusal(
        "subsession.spawn", PERSON, parentId=root, role="nobody", brief=brief
    )
    assert refused.code is Code.BRIEF_INVALID
    assert {fault.path for fault in refused.fields} == {
        "brief.mission",
        "brief.tokenCap",
        "brief.ownedGlobs[0]",
    }


@pytest.mark.scenario("S32")
async def test_patterns_are_brought_to_their_normal_form(bench: Bench) -> None:
    """Other spellings of a sibling's files are met, and both spellings are told."""
    root = await bench.root()
    (Path(bench.folder) / "src").mkdir()
    (Path(bench.folder) / "link").symlink_to("src")
    await spawn(bench, root, brief={**WORK, "ownedGlobs": ["src/*"]})
    refused = await bench.refusal(
        "subsession.spawn",
        PERSON,
        parentId=root,
        role="worker",
        brief={**WORK, "ownedGlobs": ["./link/../link/x.py"]},
    )
    assert refused.code is Code.SCOPE_OVERLAP
    bad = await bench.refusal(
        "subsession.spawn",
        PERSON,
        parentId=root,
        role="worker",
        brief={**WORK, "ownedGlobs": ["ok", "../out"]},
    )
    assert (bad.code, bad.fields[0].path) == (Code.BRIEF_INVALID, "brief.ownedGlobs[1]")


async def test_a_folder_that_cannot_be_looked_at_is_a_fault_of_the_field(bench: Bench) -> None:
    """When the disk does not tell where patterns lead, the brief is refused by that field."""
    root = await bench.root()
    bench.workspace.fault = WorkspaceFault("it does not answer in time")
    refused = await bench.refusal(
        "subsession.spawn",
        PERSON,
        parentId=root,
        role="worker",
        brief={**WORK, "ownedGlobs": ["a"]},
    )
    assert refused.code is Code.BRIEF_INVALID
    assert [fault.path for fault in refused.fields] == ["brief.ownedGlobs"]


async def test_a_command_line_is_the_operators(bench: Bench) -> None:
    """An agent cannot say what is run."""
    root = await bench.root()
    refused = await bench.refusal(
        "subsession.spawn", as_node(root), role="check", brief=WORK, argv=["rm", "-rf", "/"]
    )
    assert (refused.code, refused.step) == (Code.NOT_ALLOWED, "argv")
    answer = await spawn(bench, root, role="check", argv=["true"])
    assert bench.node(answer["nodeId"]).argv == ("true",)


async def test_a_check_starts_nothing(bench: Bench) -> None:
    """With checkOnly every check runs, nothing is admitted, and nothing is waited for."""
    root = await bench.root()
    answer = await spawn(bench, root, checkOnly=True, waitMs=50_000)
    assert answer["wouldAdmit"]
    assert NodeId(answer["nodeId"]) not in bench.tree.nodes


@pytest.mark.scenario("S34")
async def test_a_key_gives_the_same_child(bench: Bench) -> None:
    """Repeating a spawn with its key gives the same node; another brief under it is a conflict."""
    root = await bench.root()
    calls = [spawn(bench, root, idempotencyKey="k") for _ in range(3)]
    answers = await asyncio.gather(*calls)
    assert len({answer["nodeId"] for answer in answers}) == 1
    refused = await bench.refusal(
        "subsession.spawn",
        PERSON,
        parentId=root,
        role="worker",
        brief={**WORK, "mission": "other"},
        idempotencyKey="k",
    )
    assert refused.code is Code.KEY_CONFLICT


async def claimed(bench: Bench) -> NodeId:
    """Wait until a start is asked for; gives whose."""
    end = asyncio.get_running_loop().time() + 10
    while asyncio.get_running_loop().time() < end:
        for effect in bench.effects:
            if isinstance(effect, StartChild):
                return effect.node
        await asyncio.sleep(0)
    raise AssertionError("no start was asked for")


async def test_a_caller_can_wait_for_the_start(bench: Bench) -> None:
    """With waitMs the answer comes when the child runs."""
    root = await bench.root()
    waiting = asyncio.create_task(spawn(bench, root, waitMs=30_000))
    child = await claimed(bench)
    assert not waiting.done()
    await bench.tell(ConfirmStart(node=child, **bench.desk.stamps()))
    assert (await asyncio.wait_for(waiting, 10))["state"] == "running"


@pytest.mark.parametrize("by_node", [True, False])
async def test_a_failed_start_is_a_refusal_for_who_waited(bench: Bench, by_node: bool) -> None:
    """START_FAILED tells the operator all that is known, and a node a bounded sentence."""
    root = await bench.root()
    why = "no such program " + "x" * 3_000
    made = {"role": "worker", "brief": WORK, "waitMs": 30_000}
    by = as_node(root) if by_node else PERSON
    if not by_node:
        made["parentId"] = root
    waiting = asyncio.create_task(bench.refusal("subsession.spawn", by, **made))
    child = await claimed(bench)
    await bench.tell(FailStart(node=child, why=why, **bench.desk.stamps()))
    refused = await asyncio.wait_for(waiting, 10)
    assert (refused.code, refused.sibling) == (Code.START_FAILED, child)
    assert refused.detail.startswith("no such program")
    assert (len(refused.detail.encode()) <= 600) is by_node
    assert bench.node(child).status is Status.RELEASED


async def test_who_does_not_want_to_wait_longer_gets_the_claim(bench: Bench) -> None:
    """When the time is over the answer says claimed, and nothing is undone."""
    root = await bench.root()
    answer = await spawn(bench, root, waitMs=1)
    assert answer["state"] == "claimed"


async def test_calls_of_one_caller_are_decided_in_their_order(bench: Bench) -> None:
    """A call whose paths are read from disk is not overtaken by one that has none."""
    root = await bench.root()
    with_paths = {**WORK, "ownedGlobs": ["a/b/c/*", "d/*"]}
    calls = [spawn(bench, root, brief=with_paths), spawn(bench, root)]
    first, second = await asyncio.gather(*calls)
    assert bench.node(first["nodeId"]).seq < bench.node(second["nodeId"]).seq


@pytest.mark.scenario("S20")
@pytest.mark.parametrize("by_node", [True, False])
async def test_a_refusal_repeated_for_ever_is_turned_away(bench: Bench, by_node: bool) -> None:
    """After sixty refusals in a minute a parent's spawns are BUSY with a time, and marked on it;
    others are not concerned, and after that time the verdict is the registry's alone.
    """
    root, other = await bench.root(), await bench.root()
    by, named = (as_node(root), {}) if by_node else (PERSON, {"parentId": root})
    bad: dict[str, Any] = {"role": "nobody", "brief": WORK, **named}
    codes = [(await bench.refusal("subsession.spawn", by, **bad)).code for _ in range(100)]
    assert codes == [Code.ROLE_UNKNOWN] * REFUSALS_MOST + [Code.BUSY] * (100 - REFUSALS_MOST)
    busy = await bench.refusal("subsession.spawn", by, **{**bad, "role": "worker"})
    assert busy.retry_after_ms is not None
    await spawn(bench, other)
    assert bench.node(root).refusals == 101 - REFUSALS_MOST
    bench.clock.move(busy.retry_after_ms)
    answer = await bench.call("subsession.spawn", by, **{**bad, "role": "worker"})
    assert bench.node(answer["nodeId"]).parent == root


async def test_too_many_calls_at_once_are_turned_away(bench: Bench) -> None:
    """A node has 64 calls of one kind under way; one more is BUSY, another node's is not."""
    root, other = await bench.root(), await bench.root()
    child = await bench.child(root)
    await bench.say(child, "old", Stage.FINDING)
    await bench.call("subsession.inbox", as_node(root))
    calls = [
        asyncio.create_task(bench.call("subsession.inbox", as_node(root), waitMs=30_000))
        for _ in range(IN_FLIGHT_MOST)
    ]
    await asyncio.sleep(0)
    refused = await bench.refusal("subsession.inbox", as_node(root))
    assert (refused.code, refused.limit) == (Code.BUSY, IN_FLIGHT_MOST)
    await bench.call("subsession.inbox", as_node(other))
    await bench.say(child, "new", Stage.FINDING)
    await asyncio.wait_for(asyncio.gather(*calls), 10)
    assert bench.desk.guard.in_flight == 0


async def test_a_refusal_to_a_node_is_bounded(bench: Bench) -> None:
    """A brief with very many bad fields is refused within 4,000 tokens to a node."""
    root = await bench.root()
    brief = {"mission": "m", "ownedGlobs": ["../" + "x" * 400 for _ in range(200)]}
    refused = await bench.refusal("subsession.spawn", as_node(root), role="worker", brief=brief)
    shown = sum(len(fault.path) + len(fault.problem) + 40 for fault in refused.fields)
    assert shown <= bytes_of_tokens(4_000)
    assert replace(refused, fields=()).code is Code.BRIEF_INVALID


async def test_a_folder_that_nobody_can_look_at_now_is_no_bad_field(bench: Bench) -> None:
    """A disk that does not answer says nothing of the brief: the same call may pass later."""
    root = await bench.root()
    bench.workspace.fault = WorkspaceBusy("looking at /secret took longer than 0.2 s")
    brief = {**WORK, "ownedGlobs": ["a"]}
    made = {"parentId": root, "role": "worker", "brief": brief}
    refused = await bench.refusal("subsession.spawn", PERSON, **made)
    assert (refused.code, refused.step, refused.retryable) == (Code.BUSY, "workspace", True)
    assert "secret" not in refused.message
