"""`rpc.methods`: the table, and who may call what."""

from typing import Any

import pytest

from subsessiond.core.bounds import bytes_of_tokens
from subsessiond.model.rejection import Code
from subsessiond.ports import ConfigFault
from subsessiond.wire.methods import METHODS, OPERATOR
from tests.support.desk import SCRIPT, Bench, as_node
from tests.support.trees import node_id

STRANGER = node_id(77)

OPERATORS: dict[str, dict[str, Any]] = {
    "subsession.blocked": {},
    "subsession.handover": {"nodeId": STRANGER, "action": "letter"},
    "subsession.dismiss": {"nodeId": STRANGER},
    "subsession.release": {"nodeId": STRANGER},
    "subsession.close": {"nodeId": STRANGER},
    "subsession.transcript": {"nodeId": STRANGER},
    "subsession.stats": {"nodeId": STRANGER},
    "subsession.acceptRole": {"workspace": "/", "name": "project/x", "digest": "0" * 64},
    "daemon.stats": {},
    "daemon.shutdown": {},
    "daemon.reload": {},
}


def test_every_method_of_the_contract_is_served_and_no_other(bench: Bench) -> None:
    """The table of the wire and the methods served are the same."""
    assert set(bench.methods) == {method.name for method in METHODS}


def test_every_method_of_the_operator_is_tested_below() -> None:
    """What the contract gives to the operator alone is in this file's list."""
    operators = {method.name for method in METHODS if method.who.startswith(OPERATOR + ",")}
    operators |= {method.name for method in METHODS if method.who == OPERATOR}
    assert operators == set(OPERATORS)


@pytest.mark.parametrize("method", sorted(OPERATORS))
async def test_a_node_is_refused_what_is_the_operators(bench: Bench, method: str) -> None:
    """An operator's method called by a node is NOT_ALLOWED, whether its object exists or not."""
    root = await bench.root()
    child = await bench.child(root)
    for node in (root, child):
        refused = await bench.refusal(method, as_node(node), **OPERATORS[method])
        assert refused.code is Code.NOT_ALLOWED
    assert bench.ends == []


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("subsession.release", {}),
        ("subsession.handover", {"action": "as-is"}),
        ("subsession.handover", {"action": "answer", "answer": "yes"}),
        ("subsession.handover", {"action": "grant", "grants": {"tokens": 1}}),
    ],
)
async def test_granting_needs_a_terminal(bench: Bench, method: str, params: dict[str, Any]) -> None:
    """A script of the operator's, without a terminal, may look and not grant."""
    child = await bench.child(await bench.root())
    refused = await bench.refusal(method, SCRIPT, nodeId=child, **params)
    assert refused.code is Code.NOT_ALLOWED
    assert refused.step == "granting"


@pytest.mark.parametrize("method", ["subsession.report", "subsession.checkpoint"])
async def test_the_operator_is_no_node(bench: Bench, method: str) -> None:
    """What a node says of itself nobody can say for it."""
    params: dict[str, Any] = {"output": "x"} if method.endswith("report") else {"phase": "x"}
    refused = await bench.refusal(method, **params)
    assert refused.code is Code.NOT_ALLOWED


@pytest.mark.scenario("S21")
@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("subsession.node", {}),
        ("subsession.cancel", {"waitMs": 0}),
        ("subsession.steer", {"text": "hi"}),
        ("subsession.inbox", {}),
        ("subsession.journal", {}),
    ],
)
async def test_what_is_not_ones_own_looks_as_if_it_did_not_exist(
    bench: Bench, method: str, params: dict[str, Any]
) -> None:
    """A child's calls for its sibling, its parent, another tree or nobody give one same refusal."""
    root, other = await bench.root(), await bench.root()
    child, sibling = await bench.child(root), await bench.child(root)
    refusals = [
        await bench.refusal(method, as_node(child), nodeId=target, **params)
        for target in (sibling, root, other, STRANGER)
    ]
    assert {refusal.code for refusal in refusals} == {Code.NOT_FOUND}
    assert len({refusal.message for refusal in refusals}) == 1


async def test_anybody_may_ask_what_serves(bench: Bench) -> None:
    """The daemon's name, protocol and health, the tables and the document are no secret."""
    child = await bench.child(await bench.root())
    for by in (SCRIPT, as_node(child)):
        info = await bench.call("daemon.info", by)
        assert (info["name"], info["protocolVersion"]) == ("subsessiond", 1)
        assert (await bench.call("daemon.health", by)) == {"ok": True, "seq": bench.tree.seq}
        assert (await bench.call("roles.list", by))["roles"]
        assert (await bench.call("agents.list", by))["agents"]
        document = await bench.call("rpc.discover", by)
        assert {one["name"] for one in document["methods"]} == set(bench.methods)


async def test_a_bad_table_is_refused_with_what_is_wrong(bench: Bench) -> None:
    """A reload that finds a fault says in which word of which file, and the old tables stay."""
    bench.faults.append(ConfigFault("roles.toml: [worker] depthCap", "is missing"))
    (fault,) = await bench.faults_of("daemon.reload")
    assert fault.path == "roles.toml: [worker] depthCap"
    assert fault.problem == "is missing; the tables there were stay"
    assert len((await bench.call("roles.list"))["roles"]) == 4


async def test_the_document_for_a_node_is_bounded(bench: Bench) -> None:
    """A node is given names and what may be left out, within 4,000 tokens, and no schemas."""
    root = await bench.root()
    assert len(await bench.raw("rpc.discover", as_node(root))) <= bytes_of_tokens(4_000)
    assert "components" in await bench.call("rpc.discover")


async def test_the_operator_ends_reloads_and_counts(bench: Bench) -> None:
    """Shutdown is answered and begun once; reload tells what it read; counts are true."""
    await bench.child(await bench.root())
    stats = await bench.call("daemon.stats")
    assert (stats["nodes"], stats["roots"], stats["live"]) == (2, 1, 1)
    assert (await bench.call("daemon.reload"))["roles"] == 4
    assert (await bench.call("daemon.shutdown")) == {"stopping": True}
    assert len(bench.ends) == 1
