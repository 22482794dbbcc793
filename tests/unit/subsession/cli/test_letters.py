"""What the command line shows of one node."""

import io
from typing import Any

import pytest

from subsession.cli.letters import show_text
from subsession.cli.voice import Voice
from tests.support.rows import child_row, view

OWN = {"input": 9_000, "cacheRead": None, "cacheWrite": 1_000, "output": 2_000}


def shown(**row: Any) -> str:
    """Show a node."""
    voice = Voice(io.StringIO(), io.StringIO(), as_json=False, environ={})
    return show_text(view(child_row(**row)), voice, 10_000)


@pytest.mark.scenario("S40")
def test_tokens_are_shown_with_all_below_and_of_how_many_they_are() -> None:
    """A sum over nodes that do not all report says so; without any below there is one number."""
    below = {**OWN, "input": 90_000, "reporting": 3, "started": 4}
    told = shown(measuredTokens=OWN, measuredSubtree=below)
    assert "12k, cap 20,000" in told
    assert "93k, 3 of 4 report" in told
    assert "4 report" not in shown(measuredSubtree={**below, "reporting": 4})
    alone = shown(measuredTokens=OWN, measuredSubtree={**OWN, "reporting": 1, "started": 1})
    assert "with below" not in alone
    assert "not reported" in shown(measuredSubtree=None)
