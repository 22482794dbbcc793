"""Twelve real agents of four kinds at once, under one daemon."""

import asyncio
from pathlib import Path
from typing import Final

import pytest

from tests.support.closing import check_closing, descriptors, within
from tests.support.lifecycle import crowd
from tests.support.lifecycle.stage import Stage, stage
from tests.support.rigs import BIN, RIGS

AT_ONCE: Final = 12
GONE_S: Final = 20.0
GROWTH_KIB: Final = 6 * 1024
"""Of the daemon, by twelve agents that are gone: what is kept of them is some KiB each; the rest is
memory that the interpreter keeps for the next ones.
"""


def resident_kib(stage: Stage) -> int:
    """Give what memory the daemon holds."""
    assert stage.daemon.process is not None
    status = Path(f"/proc/{stage.daemon.process.pid}/status").read_text()
    return int(status.partition("VmRSS:")[2].split()[0])


@pytest.mark.skipif(not BIN.exists(), reason="scripts/agents has not run in this clone")
@pytest.mark.serial
# Why so long: twelve agents need forty seconds of processor time to start.
@pytest.mark.timeout(400)
async def test_twelve_agents_at_once_lose_nothing_and_leave_nothing() -> None:
    """Every message comes exactly once, to the parent whose it is, and the daemon is as before."""
    if missing := [name for name in crowd.KINDS if not RIGS[name].installed]:
        pytest.skip(f"not for this platform: {missing}")
    kinds, roles = crowd.agents_toml, {"roles.toml": crowd.roles_toml()}
    async with stage(kinds, crowd.home_of, roles) as here:
        # Why four before: what each kind makes the daemon load and keep once is no leak.
        await crowd.run(here, range(len(crowd.KINDS)))
        await here.read_mail(2 * len(crowd.KINDS))
        opened, resident = descriptors(here.daemon), resident_kib(here)
        numbers = range(len(crowd.KINDS), len(crowd.KINDS) + AT_ONCE)
        rows = await crowd.run(here, numbers)
        await here.read_mail(2 * numbers.stop)
        assert {(row["outcome"], row["reason"]) for row in rows} == {("completed", "final-report")}
        assert here.stub.faults == []
        check_mail(here, range(numbers.stop))
        within(here.left_here, "processes in the workspace", GONE_S)
        within(lambda: max(0, descriptors(here.daemon) - opened), "descriptors", GONE_S)
        assert resident_kib(here) - resident <= GROWTH_KIB
        await asyncio.to_thread(check_closing, here.daemon)


def check_mail(stage: Stage, numbers: range) -> None:
    """See that the root was shown the finding and the final of each child, in this order, once."""
    said = [message["text"].splitlines()[1] for message in stage.mail]
    for number in numbers:
        order = [text for text in said if text in (crowd.find(number), crowd.end(number))]
        assert order == [crowd.find(number), crowd.end(number)]
    ids = {message["messageId"] for message in stage.mail}
    assert len(ids) == len(said) == 2 * len(numbers)
