"""What was acknowledged survives a process that is killed at any instant."""

import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

from subsessiond.core.evolve import evolve
from subsessiond.model.events import ReportAccepted
from subsessiond.model.tree import Tree
from tests.support import store_process
from tests.support.ledger import State, same

CYCLES = int(os.environ.get("SUBSESSIOND_KILL_CYCLES", "20"))
EVENTS_A_BATCH = 2


def run_until_killed(state: Path, lines: int) -> int:
    """Let a process commit, kill it after so many acknowledgements; gives the last it gave."""
    order = [sys.executable, store_process.__file__, "write", str(state)]
    with subprocess.Popen(order, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        said = [process.stdout.readline() for _ in range(lines)]
        process.kill()
        said += process.stdout.readlines()
    return int([word for word in said if word.endswith("\n")][-1])


# Why so long: a cycle starts a process, and a longer run is asked for by the environment.
@pytest.mark.timeout(30 + 4 * CYCLES)
async def test_kill_cycles_lose_nothing_and_invent_nothing(tmp_path: Path) -> None:
    """S25: after each kill the store holds all that was acknowledged and at most one batch more."""
    chance = random.Random(25)  # the offsets differ anyway, with the machine's pace
    for _ in range(CYCLES):
        acknowledged = run_until_killed(tmp_path / "state", chance.randint(1, 40))
        async with State(tmp_path / "state") as state:
            await check(state, acknowledged)


async def check(state: State, acknowledged: int) -> None:
    """See that a store holds exactly what its events say, and all that was acknowledged."""
    ledger, warnings = await state.open()
    assert warnings == ()
    assert acknowledged <= ledger.tree.seq <= acknowledged + EVENTS_A_BATCH
    events = await ledger.store.events_after(0, 1_000_000)
    tree = Tree()
    for event in events:
        tree = evolve(tree, event)
    assert same(ledger.tree, tree)
    accepted = [event.line for event in events if isinstance(event, ReportAccepted)]
    lines = await ledger.store.unsynced_lines()
    assert [line.n for line in lines if line.node_id == store_process.CHILD] == accepted
