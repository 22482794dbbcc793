"""S40, where nothing was measured: no reading is null, never 0 and never the cap.

Readings themselves have tests of their own, by the kind of agent that reports them.
"""

import pytest

from tests.support.tables import tables
from tests.support.yard import Yard, refusal_of, scenario


def check_numbers(yard: Yard, node: str, cap: int) -> None:
    """Look at every place where a number of tokens is shown."""
    row = yard.row(node)
    assert row["measuredTokens"] is None
    assert row["declaredTokenCap"] == cap
    shown = yard.call("subsession.node", nodeId=node)
    assert shown["row"]["measuredTokens"] is None
    if envelope := shown.get("envelope"):
        assert envelope["measuredTokens"] is None
        assert envelope["declaredTokenCap"] == cap


@pytest.mark.scenario("S40")
def test_what_was_not_measured_is_null() -> None:
    """Program, script, mother, one that never started: none shows a number it does not have."""
    with scenario(tables()) as yard:
        boss = yard.speaker("boss")
        child = yard.speaker(parent=boss.node, brief={"tokenCap": 15_000})
        child.final(structured={"usage": {"input": 123, "output": 456}})
        child.close()
        script = yard.script({"report": {"output": "o", "stage": "final", "outcome": "completed"}})
        failed = refusal_of(yard.spawn, argv=["/nowhere/program"], waitMs=20_000).sibling
        assert failed is not None
        yard.wait(script)
        for node, cap in (
            (yard.root, 5_000_000),
            (boss.node, 200_000),
            (child.node, 15_000),
            (script, 20_000),
            (failed, 20_000),
        ):
            check_numbers(yard, node, cap)
        seen = boss.call("subsession.node", nodeId=child.node)
        assert seen["measuredTokens"] is None
        assert seen["row"]["declaredTokenCap"] == 15_000


@pytest.mark.scenario("S40")
def test_a_childs_own_figures_move_no_budget() -> None:
    """Claims of having used little or much change nothing of what may be lent."""
    with scenario(tables()) as yard:
        boss = yard.speaker("boss")
        spawn = {"role": "script", "brief": {"mission": "m", "tokenCap": 10**9}}
        before = refusal_of(boss.call, "subsession.spawn", **spawn)
        boss.report("used 199,000 tokens", stage="finding", structured={"tokens": 199_000})
        boss.call("subsession.checkpoint", phase="p", state="199,000 tokens used", nextStep="n")
        after = refusal_of(boss.call, "subsession.spawn", **spawn)
        assert (before.code, after.limit) == ("TREE_BUDGET_EXCEEDED", before.limit)
