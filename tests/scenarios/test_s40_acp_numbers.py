"""S40 for ACP agents: running totals are not added up, and silence is null."""

from typing import Any

import pytest

from tests.support.acting import FINAL, act, config
from tests.support.closing import check_closing
from tests.support.daemon import Daemon
from tests.support.hire import wait_for


def turns(*figures: int) -> list[list[dict[str, Any]]]:
    """Make turns whose answers tell these figures, the last with the final."""
    told = [[{"usage": {"inputTokens": n, "outputTokens": n // 10}}] for n in figures]
    return [*told[:-1], [FINAL, *told[-1]]]


@pytest.mark.scenario("S40")
@pytest.mark.parametrize(("of", "total"), [("session", 900), ("turn", 1_700)])
def test_figures_are_of_the_session_or_of_the_turn_as_the_profile_says(of: str, total: int) -> None:
    """A total that is lower than before changes nothing; figures of turns are added up."""
    with Daemon(config=config(actor={"profile": f'usage_of = "{of}"'})) as daemon:
        root = daemon.open()
        node = act(daemon, root, *turns(900, 800))
        row = wait_for(daemon, node, "released")
        assert row["measuredTokens"]["input"] == total
        assert row["measuredTokens"]["output"] == total // 10
        assert row["declaredTokenCap"] == 200_000
        silent = act(daemon, root, [FINAL])
        row = wait_for(daemon, silent, "released")
        assert row["measuredTokens"] is None
        assert row["declaredTokenCap"] == 200_000
        check_closing(daemon)
