"""Caps on measured tokens, with a daemon, its loops and a model server in between."""

from typing import Any

import pytest

from tests.support.closing import check_closing
from tests.support.daemon import Daemon
from tests.support.hire import wait_for
from tests.support.looped import ENVIRON, config, final, served
from tests.support.modelstub import script

CAP = 100_000
NEAR = {"usage": {"input": 60_000, "output": 10}}
"""So much in one step that there may be no third one."""
LOOK = {"call": "list_files", "args": {}}
NOTE = {
    "call": "subsession_checkpoint",
    "args": {"phase": "half", "state": "a is done", "nextStep": "do b"},
}


def hire(daemon: Daemon, root: str, mission: str) -> str:
    """Spawn a worker; gives its id."""
    brief = {"mission": mission, "tokenCap": CAP}
    answer = daemon.call("subsession.spawn", parentId=root, role="worker", brief=brief)
    return str(answer["nodeId"])


def envelope_of(daemon: Daemon, node: str) -> dict[str, Any]:
    """Give the record of a settled node."""
    found: dict[str, Any] = daemon.call("subsession.node", nodeId=node)["envelope"]
    return found


def test_a_child_near_its_cap_is_told_and_comes_to_its_end_itself() -> None:
    """It hears it at its next step, and its own blocked final is its record."""
    with served() as models, Daemon(config=config(models.stub.url), environ=ENVIRON) as daemon:
        root = daemon.open()
        ends = {"nearly all tokens": [final("b is left", "blocked", blockers=["budget: b"])]}
        child = hire(daemon, root, script({**LOOK, **NEAR}, *[LOOK] * 20, when=ends))
        row = wait_for(daemon, child, "released")
        end = envelope_of(daemon, child)
        assert (row["outcome"], end["author"], end["output"]) == ("blocked", "child", "b is left")
        assert models.stub.holding("nearly all tokens")
        check_closing(daemon)


@pytest.mark.parametrize("notes", [True, False])
def test_a_child_at_its_cap_is_stopped_with_what_it_wrote_down(*, notes: bool) -> None:
    """One that does not listen has its last checkpoint as its record, and its parent is told."""
    with served() as models, Daemon(config=config(models.stub.url), environ=ENVIRON) as daemon:
        root = daemon.open()
        first = [NOTE] if notes else []
        over = {**LOOK, "usage": {"input": CAP, "output": 10}}
        child = hire(daemon, root, script(*first, over, *[LOOK] * 50))
        row = wait_for(daemon, child, "released")
        end = envelope_of(daemon, child)
        assert (row["outcome"], end["stopReason"]) == ("failed", "max-tokens")
        assert (end["reason"], end["author"]) == ("token-cap", "runtime")
        assert ("next step: do b" in end["output"]) is notes
        assert end["measuredTokens"]["input"] >= CAP
        check_closing(daemon)
