"""Public agents as parents, with our tools as `subsession install` puts them in.

Their model is the stub: what it received is what they were shown. Nothing in a parent's script
asks for mail before it is told that there is some.
"""

import asyncio
import os
import signal
from collections.abc import Callable

import pytest

from subsessiond.core.words import unread_told
from tests.support.closing import within
from tests.support.parents import course, faults, seen
from tests.support.parents.heard import Scene, scene
from tests.support.parents.leads import CLAUDE, LEADS, Lead
from tests.support.parents.ways import KINDS
from tests.support.rigs import BIN, RIGS

GONE_S = 20.0
LEAST_BYTES = 200_000
SHARE_MOST = 0.01

pytestmark = [
    pytest.mark.skipif(not BIN.exists(), reason="scripts/agents has not run in this clone"),
    pytest.mark.serial,
    # Why so long: three agents start one after another, each in seconds of processor time.
    pytest.mark.timeout(400),
]


@pytest.mark.parametrize("hears", [course.by_hook, course.by_call], ids=["hook", "call"])
@pytest.mark.parametrize("name", sorted(LEADS))
async def test_a_parent_pays_for_reports_alone(name: str, hears: Callable[[Lead], str]) -> None:
    """It hires, steers and hears of both, one of them blocked, and tells its person of that.

    No line that a child's tools showed to it reached the parent, which was shown less than a
    hundredth of what its children were; `subsession stats` says the same figure to the byte.
    """
    lead = LEADS[name]
    skip_without(lead)
    async with scene(lead) as there:
        stub = there.here.stub
        async with there.parent(hears(lead)) as running:
            await there.here.held("north")
            stub.release("steer")
            await there.here.held("news")
            stub.release("north")
            stub.release("south")
            ends = [await there.here.until(await there.child(half), "released") for half in KINDS]
            stub.release("news")
            ended = await running.end()
        assert (ended.status, stub.faults) == (0, []), ended.said[-2_000:]
        assert [end["outcome"] for end in ends] == ["completed", "blocked"]
        assert f"south is blocked. {course.BLOCKER}" in ended.said

        mine = seen.of_parent(stub.requests)
        answers = seen.of_ours(mine)
        calls = [tool for request in mine for tool in request.called]
        assert sum("subsession_inbox" in tool for tool in calls) == 1
        told = answers[-1]
        for half, says in (("north", "Asked: whether there is an orchard"), ("south", "not mine")):
            assert f"Background subagent {await there.child(half)} reported:" in told
            assert says in told
        # Why not nothing: these are the parent's own words, as a tool showed them to its child.
        assert there.leaked() == [course.STEER]

        await check_bill(there, answers, hook=hears is course.by_hook)
        within(there.here.left_here, "processes in the workspace", GONE_S)


async def test_what_is_killed_costs_a_parent_nothing_it_was_promised() -> None:
    """The agent, its bridge and the daemon are killed in turn, while children work.

    Their work goes on or is gone on with, the root is the same for each agent that comes, and no
    message is shown twice without saying so.
    """
    skip_without(CLAUDE)
    async with scene(CLAUDE) as there:
        here, stub = there.here, there.here.stub
        async with there.parent(faults.first(CLAUDE)) as running:
            for gate in ("first", "north", "south"):
                await here.held(gate)
            root, north, south = await there.root(), *[await there.child(half) for half in KINDS]
            os.kill(running.process.pid, signal.SIGKILL)
            await running.process.wait()
        stub.release("south")
        assert (await here.until(south, "released"))["outcome"] == "completed"

        async with there.parent(faults.second()) as running:
            await here.held("second")
            os.kill(there.bridge_pid(), signal.SIGKILL)
            stub.release("second")
            assert (await running.end()).status == 0
        await here.until(north, "running")

        async with there.parent(faults.third(CLAUDE)) as running:
            await here.held("third")
            here.daemon.kill()
            await asyncio.to_thread(here.daemon.start)
            stub.release("third")
            ended = await running.end()
        assert (ended.status, stub.faults) == (0, []), ended.said[-2_000:]
        assert faults.SAYS in ended.said
        heir = await there.child("north")
        assert (await there.rows())[heir]["predecessor"] == north
        assert await there.root() == root
        once = [head for head in faults.heads(stub.requests) if not head.startswith("(again)")]
        ends = {
            south: "reported",
            north: "settled failed (daemon-restart)",
            heir: "reported",
        }
        assert sorted(once) == sorted(f"Background subagent {one} {ends[one]}" for one in ends)
        within(here.left_here, "processes in the workspace", GONE_S)


async def check_bill(there: Scene, answers: list[str], *, hook: bool) -> None:
    """Hold what a parent was shown to its share, and to what the ledger says of it."""
    requests = there.here.stub.requests
    transcripts = [seen.transcript_bytes(seen.of_child(requests, half)) for half in KINDS]
    assert min(transcripts) >= LEAST_BYTES
    told = [unread_told(2)] if hook else []
    assert all(seen.of_parent(requests)[-1].holds(words) for words in told)
    shown = sum(len(text.encode()) for text in (*answers, *told))
    assert shown <= SHARE_MOST * sum(transcripts)
    stats = await asyncio.to_thread(there.stats, await there.root())
    (whole,) = stats["roots"]
    assert whole["shownBytes"] == shown
    of_each = sum(row["shownBytes"] for row in stats["rows"])
    assert of_each + whole["generalBytes"] == shown
    assert min(row["transcriptBytes"] for row in stats["rows"]) >= LEAST_BYTES
    assert whole["ratio"] <= SHARE_MOST


def skip_without(lead: Lead) -> None:
    """Skip where an agent has no build for this platform."""
    if not lead.installed or not all(RIGS[kind].installed for kind in KINDS.values()):
        pytest.skip("not for this platform")
