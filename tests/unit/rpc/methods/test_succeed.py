"""`rpc.methods.succeed`."""

import asyncio

from subsessiond.model.rejection import Code
from tests.support.desk import Bench, as_node

SILENT_MS = 11 * 60_000


async def test_a_report_that_waits_in_a_socket_is_no_silence(bench: Bench) -> None:
    """What has arrived when a successor is asked for is decided before anybody is retired."""
    root = await bench.root()
    child = await bench.child(root)
    bench.clock.move(SILENT_MS)
    # The order in which a loop finds two ready sockets: the successor's call happens to be first.
    hiring = asyncio.create_task(
        bench.refusal("subsession.succeed", as_node(root), childId=child),
    )
    reporting = asyncio.create_task(
        bench.call("subsession.report", as_node(child), output="still here"),
    )
    assert (await hiring).code is Code.PREDECESSOR_LIVE
    assert "accepted" in (await reporting)["text"]
    assert bench.node(child).is_live


async def test_a_silent_child_is_retired_and_succeeded_in_one_call(bench: Bench) -> None:
    """Nobody has to wait for the timer's sweep to replace a child that has gone quiet."""
    root = await bench.root()
    child = await bench.child(root)
    bench.clock.move(SILENT_MS)
    answer = await bench.call("subsession.succeed", as_node(root), childId=child)
    settled = bench.node(child).settlement
    assert settled is not None
    assert settled.reason == "retired-silent"
    assert bench.node(child).successor == answer["nodeId"]
