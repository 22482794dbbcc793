"""`rpc.methods.blocked`, `succeed` and `node`."""

import dataclasses
from typing import Any

import pytest

from subsessiond.model.commands import Caller
from subsessiond.model.ids import NodeId
from subsessiond.model.rejection import Code
from subsessiond.model.report import Outcome
from subsessiond.rpc.granting import Granting
from subsessiond.rpc.methods import handlers
from subsessiond.wire.params import HandoverParams
from tests.support.desk import PERSON, SCRIPT, Bench, as_node


async def blocked_child(bench: Bench, *blockers: str, **brief: Any) -> tuple[str, str]:
    """Open a root whose child ended blocked."""
    root = await bench.root()
    child = await bench.child(root, **brief)
    await bench.finish(
        child, "stuck", outcome=Outcome.BLOCKED, blockers=blockers or ("question: which?",)
    )
    return root, child


@pytest.mark.scenario("S05")
async def test_a_blocked_final_is_one_row_until_somebody_sees_to_it(bench: Bench) -> None:
    """The queue has one row for a blocked child, with all that is needed to act on it."""
    _, child = await blocked_child(bench, "approval-required: fs write docs/x.md")
    (row,) = (await bench.call("subsession.blocked"))["rows"]
    assert (row["nodeId"], row["category"]) == (child, "approval")
    assert row["sinceMs"] == bench.clock.at_ms
    assert row["blockers"] == ["approval-required: fs write docs/x.md"]
    assert await bench.call("subsession.dismiss", nodeId=child) == {"nodeId": child}
    assert (await bench.call("subsession.blocked"))["rows"] == []


async def test_the_oldest_row_comes_first(bench: Bench) -> None:
    """Rows are in the order in which they began to wait."""
    root = await bench.root()
    children = [await bench.child(root) for _ in range(3)]
    for child in reversed(children):
        bench.clock.move(1_000)
        await bench.finish(child, outcome=Outcome.BLOCKED, blockers=("question: x",))
    rows = (await bench.call("subsession.blocked"))["rows"]
    assert [row["nodeId"] for row in rows] == children[::-1]


async def test_leftovers_wait_for_the_operators_word(bench: Bench) -> None:
    """A node with leftovers stands in the queue until it is released."""
    root = await bench.root()
    child = await bench.child(root)
    await bench.call("subsession.cancel", nodeId=child, waitMs=0)
    await bench.gone(child, "process 7")
    (row,) = (await bench.call("subsession.blocked"))["rows"]
    assert row["category"] == "leftovers"
    assert await bench.call("subsession.release", nodeId=child) == {"nodeId": child}
    assert (await bench.call("subsession.blocked"))["rows"] == []


async def test_a_letter_is_read_without_effect(bench: Bench) -> None:
    """The letter is the mission and a few lines; reading it starts nothing."""
    _, child = await blocked_child(bench, mission="build it")
    seq = bench.tree.seq
    answer = await bench.call("subsession.handover", nodeId=child, action="letter")
    assert answer["mission"] == "build it"
    assert f'continues: "{child}"' in answer["letter"]
    assert bench.tree.seq == seq


@pytest.mark.parametrize(
    ("params", "line"),
    [
        ({"action": "as-is"}, "predecessor blockers: question: which?"),
        ({"action": "answer", "answer": "the blue one"}, "operator answer: the blue one"),
        ({"action": "grant", "grants": {"tokens": 500}}, "grants: 500 tokens"),
    ],
)
async def test_a_handover_starts_a_successor(
    bench: Bench, params: dict[str, Any], line: str
) -> None:
    """Each action with effect hires a successor whose letter says what was decided."""
    _, child = await blocked_child(bench)
    answer = await bench.call("subsession.handover", nodeId=child, **params)
    heir = bench.node(answer["nodeId"])
    assert heir.predecessor == child
    assert line in heir.letter
    assert (await bench.call("subsession.blocked"))["rows"] == []


async def test_an_answer_has_a_bound(bench: Bench) -> None:
    """An answer of more than 2 KiB is refused with its limit."""
    _, child = await blocked_child(bench)
    refused = await bench.refusal(
        "subsession.handover", nodeId=child, action="answer", answer="é" * 1_025
    )
    assert (refused.code, refused.limit, refused.actual) == (Code.MESSAGE_TOO_LARGE, 2_048, 2_050)


async def test_a_grant_reaches_beyond_the_parents_files(bench: Bench) -> None:
    """Granted patterns are brought to their normal form and owned by the successor."""
    _, child = await blocked_child(bench, "scope: docs/x.md", ownedGlobs=["src/*"])
    answer = await bench.call(
        "subsession.handover", nodeId=child, action="grant", grants={"globs": ["./docs//x.md"]}
    )
    assert set(bench.node(answer["nodeId"]).owns) == {"src/*", "docs/x.md"}


async def test_a_parent_succeeds_its_own_child(bench: Bench) -> None:
    """A parent hires a successor with another mission; a stranger is told there is no such node."""
    root, child = await blocked_child(bench)
    other = await bench.root()
    refused = await bench.refusal("subsession.succeed", as_node(other), childId=child)
    assert refused.code is Code.NOT_FOUND
    answer = await bench.call(
        "subsession.succeed", as_node(root), childId=child, mission="try again"
    )
    heir = bench.node(answer["nodeId"])
    assert heir.brief is not None
    assert heir.brief.mission == "try again"
    assert bench.node(child).successor == heir.node_id


async def test_a_refused_succession_counts_like_a_refused_spawn(bench: Bench) -> None:
    """Hiring is guarded by the parent concerned, whether it is a spawn or a succession."""
    root = await bench.root()
    live = await bench.child(root)
    for by in (PERSON, as_node(root)):
        codes = [
            (await bench.refusal("subsession.succeed", by, childId=live)).code for _ in range(61)
        ]
        assert codes == [Code.PREDECESSOR_LIVE] * 60 + [Code.BUSY]
    marked = bench.desk.waiting.until(
        None, lambda tree: tree.nodes[NodeId(root)].refusals == 2, 10_000
    )
    assert await marked


async def test_a_successors_mission_has_the_bound_of_a_brief(bench: Bench) -> None:
    """A mission larger than a brief's is refused with the field and the limit."""
    root, child = await blocked_child(bench)
    refused = await bench.refusal(
        "subsession.succeed", as_node(root), childId=child, mission="m" * 40_000
    )
    assert refused.code is Code.BRIEF_INVALID
    assert [fault.path for fault in refused.fields] == ["mission"]


async def test_the_operator_sees_all_of_a_node(bench: Bench) -> None:
    """The operator's view holds brief, envelope and claim; the parent's is bounded and has less."""
    root, child = await blocked_child(bench, mission="build it", ownedGlobs=["src/*"])
    whole = await bench.call("subsession.node", nodeId=child)
    assert whole["brief"]["mission"] == "build it"
    assert whole["envelope"]["outcome"] == "blocked"
    assert whole["row"]["measuredTokens"] is None
    view = await bench.call("subsession.node", as_node(root), nodeId=child)
    assert view["output"] == "stuck"
    assert view["row"]["outcome"] == "blocked"
    assert "envelope" not in view


def with_passphrase(bench: Bench) -> None:
    """Let the desk ask for a passphrase: `open sesame`."""

    async def is_it(given: str) -> bool:
        return given == "open sesame"

    granting = Granting(is_it, bench.clock.awake_ms)
    bench.methods.update(handlers(dataclasses.replace(bench.desk, granting=granting)))


@pytest.mark.parametrize("by", [PERSON, Caller(may_grant=True, why="headless")])
async def test_a_passphrase_is_asked_for_where_something_is_granted(
    bench: Bench, by: Caller
) -> None:
    """Every handover with effect needs it, headless or not; reading and dismissing do not."""
    with_passphrase(bench)
    _, child = await blocked_child(bench)
    handover = "subsession.handover"
    assert (await bench.call(handover, by, nodeId=child, action="letter"))["letter"]
    for action in ({"action": "as-is"}, {"action": "answer", "answer": "yes"}):
        for given in ({}, {"passphrase": "open"}):
            refused = await bench.refusal(handover, by, nodeId=child, **action, **given)
            assert (refused.code, refused.step) == (Code.NOT_ALLOWED, "passphrase")
    assert bench.node(child).successor is None
    answer = await bench.call(handover, by, nodeId=child, action="as-is", passphrase="open sesame")
    assert bench.node(child).successor == answer["nodeId"]
    _, other = await blocked_child(bench)
    assert await bench.call("subsession.dismiss", by, nodeId=other) == {"nodeId": other}


async def test_a_release_needs_the_passphrase_too(bench: Bench) -> None:
    """The claim of a node with leftovers stays until the passphrase was given."""
    with_passphrase(bench)
    child = await bench.child(await bench.root())
    await bench.call("subsession.cancel", nodeId=child, waitMs=0)
    await bench.gone(child, "process 7")
    assert (await bench.refusal("subsession.release", nodeId=child)).step == "passphrase"
    await bench.call("subsession.release", nodeId=child, passphrase="open sesame")
    assert (await bench.call("subsession.blocked"))["rows"] == []


@pytest.mark.parametrize("by", [SCRIPT, as_node("0" * 26)])
async def test_who_may_not_grant_is_not_asked(bench: Bench, by: Caller) -> None:
    """Without the right the passphrase is not looked at: nobody can guess it, nor use it up."""
    with_passphrase(bench)
    _, child = await blocked_child(bench)
    for _ in range(9):
        refused = await bench.refusal(
            "subsession.handover", by, nodeId=child, action="as-is", passphrase="a guess"
        )
        assert refused.step in ("granting", "caller")
    await bench.call("subsession.handover", nodeId=child, action="as-is", passphrase="open sesame")


async def test_nothing_keeps_what_was_given(bench: Bench) -> None:
    """No node, message or journal line holds the passphrase, right or wrong."""
    with_passphrase(bench)
    _, child = await blocked_child(bench)
    for given in ("a guess", "open sesame"):
        params = HandoverParams.model_validate(
            {"nodeId": child, "action": "as-is", "passphrase": given}
        )
        assert given not in repr(params)
    await bench.refusal("subsession.handover", nodeId=child, action="as-is", passphrase="a guess")
    await bench.call("subsession.handover", nodeId=child, action="as-is", passphrase="open sesame")
    events = await bench.store.events_after(0, 10_000)
    assert child in repr(events)
    kept = repr((bench.tree, events, bench.effects))
    assert "open sesame" not in kept
    assert "a guess" not in kept
