"""S34: a reply may get lost; the same call again gives the same child and never a second one."""

import json
import threading
from typing import Any

import pytest

from tests.support.rawsocket import RawSocket
from tests.support.tables import tables
from tests.support.yard import Yard, refusal_of, scenario

KEY = "request-7"


def order(yard: Yard, **params: Any) -> dict[str, Any]:
    """One spawn under the key."""
    return {
        "parentId": yard.root,
        "role": "check",
        "brief": {"mission": "work"},
        "argv": ["sleep", "600"],
        "idempotencyKey": KEY,
        **params,
    }


def children(yard: Yard) -> list[str]:
    """List all children there are."""
    return [node for node, row in yard.daemon.rows().items() if "parentId" in row]


def ask(yard: Yard, found: list[str], **params: Any) -> None:
    """Send the call on a connection of its own."""
    with RawSocket(yard.socket) as socket:
        found.append(socket.result("subsession.spawn", **order(yard, **params))["nodeId"])


def lose(yard: Yard) -> None:
    """Send the call and hang up before the reply."""
    with RawSocket(yard.socket) as socket:
        call = {"jsonrpc": "2.0", "id": 1, "method": "subsession.spawn", "params": order(yard)}
        socket.send(encoded(call))


def encoded(call: dict[str, Any]) -> bytes:
    """Write a call."""
    return json.dumps(call).encode()


@pytest.mark.scenario("S34")
def test_a_lost_reply_and_three_retries_make_one_child() -> None:
    """Dropped, repeated, repeated twice at once: one child, and every reply names it."""
    with scenario(tables()) as yard:
        lose(yard)
        found: list[str] = []
        ask(yard, found)
        both = [threading.Thread(target=ask, args=(yard, found)) for _ in range(2)]
        for thread in both:
            thread.start()
        for thread in both:
            thread.join()
        assert len(found) == 3
        assert children(yard) == [found[0]]
        assert set(found) == {found[0]}
        ask(yard, found, waitMs=10_000)
        assert found[-1] == found[0]


@pytest.mark.scenario("S34")
def test_a_key_stands_for_one_brief() -> None:
    """Another brief or role under the key is refused as a conflict, naming the child."""
    with scenario(tables()) as yard:
        node = yard.call("subsession.spawn", **order(yard))["nodeId"]
        for other in (
            {"brief": {"mission": "other work"}},
            {"brief": {"mission": "work", "tokenCap": 19_000}},
            {"role": "hand"},
        ):
            refusal = refusal_of(yard.call, "subsession.spawn", **order(yard, **other))
            assert (refusal.code, refusal.sibling) == ("KEY_CONFLICT", node)
            assert refusal.retryable is False
        assert children(yard) == [node]


@pytest.mark.scenario("S34")
def test_a_key_outlives_its_child_and_the_daemon() -> None:
    """After the settlement, a stop and a kill the same key still gives the same id."""
    with scenario(tables()) as yard:
        node = yard.call("subsession.spawn", **order(yard, argv=["true"]))["nodeId"]
        yard.wait(node, "released")
        for end in (None, yard.daemon.stop, yard.daemon.kill):
            if end is not None:
                end()
                yard.daemon.start()
            again = yard.call("subsession.spawn", **order(yard, argv=["true"]))
            assert (again["nodeId"], again["state"]) == (node, "released")
        assert children(yard) == [node]


@pytest.mark.scenario("S34")
def test_a_start_that_surely_failed_frees_its_key() -> None:
    """Where nothing ran the retry may try again; it gets a child of its own."""
    with scenario(tables()) as yard:
        wrong = order(yard, argv=["/nowhere/program"], waitMs=10_000)
        first = refusal_of(yard.call, "subsession.spawn", **wrong).sibling
        second = yard.call("subsession.spawn", **order(yard))["nodeId"]
        assert first != second
        assert set(children(yard)) == {first, second}


@pytest.mark.scenario("S34")
def test_without_a_key_two_calls_are_two_children() -> None:
    """Nothing tells two equal calls apart but a key: two children, but for files they share."""
    with scenario(tables()) as yard:
        plain = {**order(yard)}
        del plain["idempotencyKey"]
        nodes = {yard.call("subsession.spawn", **plain)["nodeId"] for _ in range(2)}
        assert set(children(yard)) == nodes
        writer = {**plain, "role": "hand", "brief": {"mission": "work", "ownedGlobs": ["a/*"]}}
        yard.call("subsession.spawn", **writer)
        assert refusal_of(yard.call, "subsession.spawn", **writer).code == "SCOPE_OVERLAP"
