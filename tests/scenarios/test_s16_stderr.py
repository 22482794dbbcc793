"""S16: what a child writes as errors is always read, kept in bounds, and shown when it fails.

Not yet: the same before the handshake of an agent's protocol.
"""

import sys
from pathlib import Path

import pytest

from tests.support.closing import check_closing
from tests.support.daemon import Daemon
from tests.support.hire import hire, wait_for

MEBIBYTE = 1 << 20
GROWTH_BYTES = 24 * MEBIBYTE
"""Far less than what is written; what allocators keep on a busy machine stays far below."""

NOISE = """
import sys
err = sys.stderr.buffer
for n in range(16):
    err.write(b"a line of ordinary logging\\n" * 2_500)
err.write(b"x" * (64 << 20))
err.write(b"\\xff\\xfe not text \\xc3\\n")
err.write("the last words: Ärger\\n".encode())
err.flush()
print("through", flush=True)
sys.exit(int(sys.argv[1]))
"""


def resident(daemon: Daemon) -> int:
    """Give the memory of a daemon, in bytes."""
    assert daemon.process is not None
    lines = Path(f"/proc/{daemon.process.pid}/status").read_text("ascii").splitlines()
    (kibibytes,) = [line.split()[1] for line in lines if line.startswith("VmRSS:")]
    return int(kibibytes) * 1024


@pytest.mark.scenario("S16")
@pytest.mark.parametrize(("status", "outcome"), [(0, "completed"), (4, "failed")])
def test_errors_are_drained_bounded_and_used_where_a_child_fails(status: int, outcome: str) -> None:
    """Sixty-five megabytes of errors hold up nothing, cost no memory, and end in the diagnostic."""
    with Daemon() as daemon:
        root = daemon.open()
        wait_for(daemon, hire(daemon, root, "true"), "released")
        before = resident(daemon)
        node = hire(daemon, root, sys.executable, "-c", NOISE, str(status))
        row = wait_for(daemon, node, "released")
        assert resident(daemon) - before < GROWTH_BYTES
        assert row["outcome"] == outcome
        shown = daemon.call("subsession.node", nodeId=node)["envelope"]
        assert "through" in shown["output"]
        diagnostic = shown.get("diagnostic", "")
        assert len(diagnostic.encode()) <= 4_096
        assert ("the last words: Ärger" in diagnostic) is (outcome == "failed")
        check_closing(daemon)
