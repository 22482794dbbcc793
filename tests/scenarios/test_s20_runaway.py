"""S20: neither copies of itself nor refusals tried for ever get the better of the daemon."""

import threading
import time
from collections import Counter
from typing import Any

import pytest

from tests.support.rawsocket import RawSocket
from tests.support.tables import AGENTS, ROLES, tables
from tests.support.yard import Yard, refusal_of, scenario, script

COPIER = """
[copier]
tier = "scripted"
depth_cap = 2
tools = ["read", "delegate"]
token_cap = 2_000_000
max_report_tokens = 50
"""
CONFIG = tables(roles=ROLES + COPIER, agents=AGENTS)
PER_PARENT, PER_TREE = 5, 20
HAMMER = 1_000


def copies(mission: str, cap: int) -> list[dict[str, Any]]:
    """Five spawns of one brief."""
    brief = {"mission": mission, "tokenCap": cap}
    return [{"spawn": {"role": "copier", "brief": brief}}] * 5


@pytest.mark.scenario("S20")
def test_copies_stay_within_depth_and_caps() -> None:
    """Five of five of five become no more than the tree may hold, and none below the depth."""
    bottom = script(*copies("more", 10_000), {"awaitPrompt": True})
    middle = script(*copies(bottom, 20_000), {"awaitPrompt": True})
    # Why no pace: it would hold them back long before the caps are met.
    with scenario(tables(roles=ROLES + COPIER, spawn_burst=1_000)) as yard:
        top = yard.script(
            *copies(middle, 200_000),
            {"checkpoint": {"phase": "p", "state": "s", "nextStep": "all five tried"}},
            {"awaitPrompt": True},
            role="copier",
            brief={"depthAllowance": 2},
        )
        rows = settled_tree(yard, top)
        below = Counter(row["parentId"] for row in rows.values() if "parentId" in row)
        assert max(below.values()) <= PER_PARENT
        assert len(rows) - 1 == PER_TREE
        assert max(depth_of(rows, node) for node in rows) == 3  # root, top, two


def depth_of(rows: dict[str, Any], node: str) -> int:
    """Count the nodes above."""
    parent = rows[node].get("parentId")
    return 0 if parent is None else 1 + depth_of(rows, parent)


def settled_tree(yard: Yard, top: str) -> dict[str, Any]:
    """Wait until nothing is admitted any more: every script has tried all it has to try."""
    page = yard.call("subsession.tree")
    while True:
        more = yard.call("subsession.tree", sinceSeq=page["seq"], waitMs=700)
        if more["seq"] == page["seq"]:
            assert top in yard.daemon.rows()
            return yard.daemon.rows()
        page = more


@pytest.mark.scenario("S20")
def test_a_copy_of_its_own_brief_never_fits_its_own_budget() -> None:
    """A mother cannot lend what she has not got: the first true copy is refused, for good."""
    with scenario(CONFIG) as yard:
        boss = yard.speaker("boss")
        copy = {"role": "boss", "brief": {"mission": "the same", "tokenCap": 200_000}}
        refusal = refusal_of(boss.call, "subsession.spawn", **copy)
        # Why unsafe first: an agent gives no command line, and this agent needs one.
        assert refusal.code == "ROLE_UNSAFE"
        scripted = {"role": "editor", "brief": {"mission": "m", "tokenCap": 200_000}}
        refusal = refusal_of(yard.spawn, "copier", parent=boss.node, brief=scripted["brief"])
        assert (refusal.code, refusal.retryable) == ("TREE_BUDGET_EXCEEDED", False)


@pytest.mark.scenario("S20")
def test_a_leaf_spawns_not_even_on_the_socket() -> None:
    """A leaf is refused whatever its tool list says, and told that no retry helps."""
    with scenario(CONFIG) as yard:
        leaf = yard.speaker("hand")
        refusal = refusal_of(leaf.call, "subsession.spawn", role="script", brief={"mission": "m"})
        assert (refusal.code, refusal.retryable) == ("NOT_ALLOWED", False)
        assert "does not delegate" in refusal.message
        assert len(yard.daemon.rows()) == 2


@pytest.mark.scenario("S20")
def test_a_refusal_tried_for_ever_is_held_back_and_slows_nobody() -> None:
    """Of a thousand tries sixty are judged; others are served, and a right call is accepted."""
    with scenario(CONFIG) as yard:
        boss, other = yard.speaker("boss"), yard.speaker("boss")
        slowest = [0.0]
        over = threading.Event()

        def live_on() -> None:
            while not over.is_set():
                began = time.monotonic()
                other.call(
                    "subsession.spawn", role="script", brief={"mission": "m"}, checkOnly=True
                )
                slowest[0] = max(slowest[0], time.monotonic() - began)

        beside = threading.Thread(target=live_on)
        beside.start()
        try:
            codes, wait_ms = hammer(yard, boss.token)
        finally:
            over.set()
            beside.join()
        assert set(codes) == {1002, 9003}
        assert 60 <= codes[1002] < 150  # sixty at once, one more each second
        assert 0 < wait_ms <= 60_000
        assert slowest[0] < 1.0
        assert yard.row(boss.node).get("refusals", 0) > 0
        assert yard.row(other.node).get("refusals", 0) == 0
        time.sleep(wait_ms / 1_000)  # as it was told
        order = {"role": "script", "brief": {"mission": script({"awaitPrompt": True})}}
        mine = boss.call("subsession.spawn", checkOnly=True, **order)
        theirs = other.call("subsession.spawn", checkOnly=True, **order)
        assert mine["wouldAdmit"] is theirs["wouldAdmit"] is True
        assert yard.wait(boss.call("subsession.spawn", **order)["nodeId"], "running")


def hammer(yard: Yard, token: str) -> tuple[Counter[int], int]:
    """Repeat one refused spawn as fast as it goes; gives the codes and the last wait told."""
    codes: Counter[int] = Counter()
    wait_ms = 0
    with RawSocket(yard.socket, token) as socket:
        for _ in range(HAMMER):
            error = socket.error("subsession.spawn", role="nobody", brief={"mission": "again"})
            codes[error["code"]] += 1
            wait_ms = error["data"].get("retryAfterMs", wait_ms)
            assert error["data"]["retryable"] is (error["code"] == 9003)
    return codes, wait_ms
