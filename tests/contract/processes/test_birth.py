"""Who a child is is told before anything of it runs."""

import pytest

from subsessiond.adapters.processes import LinuxProcesses
from subsessiond.model.ids import NodeId
from subsessiond.model.process import Identity, LaunchFault
from tests.contract.processes.conftest import launch, own


async def test_a_child_is_told_of_before_its_program_begins(processes: LinuxProcesses) -> None:
    """The identity told at the birth is the one that the running child has."""
    told: list[tuple[NodeId, Identity]] = []
    processes.on_birth(lambda node_id, identity: told.append((node_id, identity)))
    process = await processes.spawn(launch("true"))
    assert told == [(NodeId(own("n1")), process.identity)]
    await process.stop()
    await process.aclose()


async def test_one_that_cannot_be_run_was_told_of_too(processes: LinuxProcesses) -> None:
    """It is told before it is known whether the program can be run at all."""
    told: list[NodeId] = []
    processes.on_birth(lambda node_id, _: told.append(node_id))
    with pytest.raises(LaunchFault):
        await processes.spawn(launch("/nonexistent/program"))
    assert told == [NodeId(own("n1"))]
