"""S40 for in-process loops: figures are the provider's, to the token, and survive a restart."""

from typing import Any

import pytest

from tests.support.closing import check_closing
from tests.support.daemon import Daemon
from tests.support.hire import wait_for
from tests.support.looped import ENVIRON, config, final, served, spawn


def figures(told: Any) -> tuple[int, int]:
    """Give input and output of what was measured."""
    return told["input"], told["output"]


@pytest.mark.scenario("S40")
@pytest.mark.parametrize("dialect", ["openai", "anthropic"])
def test_figures_of_loops_are_those_of_the_provider(dialect: str) -> None:
    """Over a mother and two children each answer counts once; a budget does not move with them."""
    with served() as models, Daemon(config=config(models.stub.url, dialect), environ=ENVIRON) as d:
        root = d.open()
        used = {"usage": {"input": 190_000, "output": 7}}
        mother = spawn(d, root, {"wait": "m", **final(endChildren=True)}, role="boss")
        models.wait_held("m")
        first = spawn(d, mother, {"call": "list_files", "args": {}}, final())
        second = spawn(d, mother, {**final(), **used}, role="reader")
        own = [wait_for(d, node, "released")["measuredTokens"] for node in (first, second)]
        assert figures(own[1]) == (190_000, 7)
        assert own[1]["output"] < own[0]["output"]
        third = spawn(d, mother, final(), tokenCap=150_000)
        assert wait_for(d, third, "released")["outcome"] == "completed"
        models.release("m")
        wait_for(d, mother, "released")
        told = models.stub.total()
        before = d.rows()
        assert figures(before[root]["measuredSubtree"]) == (told.input, told.output)
        assert figures(before[mother]["measuredSubtree"]) == (told.input, told.output)
        assert (before[root]["measuredTokens"], before[root]["measuredSubtree"]["reporting"]) == (
            None,
            4,
        )
        d.kill()
        d.start()
        after = d.rows()
        names = ("measuredTokens", "measuredSubtree")
        assert [[r[n] for n in names] for r in after.values()] == [
            [r[n] for n in names] for r in before.values()
        ]
        check_closing(d)
