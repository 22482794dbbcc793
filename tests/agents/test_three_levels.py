"""Public agents on three levels: each hears its own children's reports, and nothing below them."""

import os
import signal

import pytest

from tests.support.closing import within
from tests.support.lifecycle import levels
from tests.support.lifecycle.stage import Stage, stage
from tests.support.modelstub import Request, script
from tests.support.rigs import BIN, RIGS

GONE_S = 20.0

pytestmark = [
    pytest.mark.skipif(not BIN.exists(), reason="scripts/agents has not run in this clone"),
    pytest.mark.serial,
    # Why so long: five agents start one after another, each in seconds of processor time.
    pytest.mark.timeout(400),
]


async def test_a_grandchild_reports_to_its_parent_alone() -> None:
    """The levels above it are shown no byte of it: neither its work nor its report."""
    if not RIGS[levels.KIND].installed:
        pytest.skip("not for this platform")
    async with stage(
        levels.agents_toml, levels.home_of, {"roles.toml": levels.roles_toml()}
    ) as here:
        top = await levels.hire(here)
        middle = await levels.child_of(here, top)
        leaf = await levels.child_of(here, middle)
        here.stub.release("leaf")
        await here.read_mail(1)
        assert (await here.until(top, "released"))["reason"] == "final-report"
        assert any(request.holds(levels.SECRET) for request in own(here, "leaf"))
        for mark in ("top", "middle"):
            asked = own(here, mark)
            assert asked
            assert not any(request.holds(levels.SECRET) for request in asked)
        assert not any(request.holds(leaf) for request in own(here, "top"))
        assert any(request.holds(f"{leaf} reported:") for request in own(here, "middle"))
        assert [message["senderSessionId"] for message in here.mail] == [top]
        assert "Top is done." in here.mail[0]["text"]
        assert not any(name in str(here.mail) for name in (middle, leaf, levels.SECRET))
        assert await here.no_more_mail()
        assert here.stub.faults == []
        within(here.left_here, "processes in the workspace", GONE_S)


async def test_a_killed_parents_child_is_orphaned_and_goes_on_under_its_successor() -> None:
    """Nothing of it is left; its successor reports to the parent's successor, and that upward."""
    if not RIGS[levels.KIND].installed:
        pytest.skip("not for this platform")
    async with stage(
        levels.agents_toml, levels.home_of, {"roles.toml": levels.roles_toml()}
    ) as here:
        top = await levels.hire(here)
        middle = await levels.child_of(here, top)
        leaf = await levels.child_of(here, middle)
        os.kill(await here.agent_pid(middle), signal.SIGKILL)
        orphan = await here.until(leaf, "released")
        assert (orphan["outcome"], orphan["reason"]) == ("orphaned", "parent-settled")
        assert (await here.until(middle, "released"))["reason"] == "killed-by-signal"
        await here.held("failed")
        within(lambda: here.left_of(leaf, "nothing runs this"), "processes of the orphan", GONE_S)
        waits = script(
            {"text": "I wait.", "wait": "second"},
            when={"Leaf has looked": levels.final("Middle is done.")},
        )
        heir = await succeed(here, middle, f"Do heir. {waits}")
        here.stub.release("failed")
        await here.until(heir, "running")
        looks = script(*levels.final("Leaf has looked."))
        second = await succeed(here, leaf, f"Do second. {looks}")
        here.stub.release("second")
        rows = {r["nodeId"]: r for r in (await here.call("tree"))["rows"]}
        assert (rows[second]["parentId"], rows[second]["predecessor"]) == (heir, leaf)
        await here.read_mail(1)
        assert [message["senderSessionId"] for message in here.mail] == [top]
        assert (await here.until(heir, "released"))["reason"] == "final-report"
        assert here.stub.faults == []
        within(here.left_here, "processes in the workspace", GONE_S)


def own(here: Stage, mark: str) -> list[Request]:
    """Give the requests of one level: the missions of those below are written in its own."""
    above = {"top": "", "middle": "Do top. ", "leaf": "Do middle. "}[mark]
    return [r for r in here.asked(mark) if not above or not r.holds(above)]


async def succeed(here: Stage, node: str, mission: str) -> str:
    """Hire a successor with a mission of its own, as the operator."""
    return str((await here.call("succeed", childId=node, mission=mission))["nodeId"])
