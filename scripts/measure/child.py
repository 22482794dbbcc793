"""Our side of one `command` child, for each kind of container that works here."""

import subprocess
import time
from statistics import median
from typing import Any

from scripts.measure.daemons import QuietDaemon, pid_of
from scripts.measure.processes import pss_by_pid, pss_kib
from scripts.measure.table import Row, Scale, in_turns, limited, timed_ms
from subsession.client import Client
from subsessiond.adapters.processes import available_containers
from subsessiond.model.process import ContainerKind

KINDS = tuple(str(k) for k in (ContainerKind.CGROUP, ContainerKind.PIDNS, ContainerKind.DESCENT))
ROWS = tuple(f"child-{kind}-{what}" for kind in KINDS for what in ("time", "memory"))
TIME_MS = 150.0
MEMORY_MIB = 25.0
TRUE = ["/bin/true"]
SLEEP = ["/bin/sleep", "60"]
WAIT_MS = 20_000


def measure(scale: Scale) -> list[Row]:
    """Measure each kind."""
    here = available_containers()
    return [row for kind in KINDS for row in _kind(scale, kind, works=kind in here)]


def _kind(scale: Scale, kind: str, *, works: bool) -> list[Row]:
    spent = Row(f"child-{kind}-time", f"one child in {kind}, our time", f"≤ {TIME_MS:.0f} ms", "ms")
    held = Row(
        f"child-{kind}-memory", f"one child in {kind}, our memory", f"≤ {MEMORY_MIB:.0f} MiB", "MiB"
    )
    if not works:
        why = "not measured: this user cannot use it on this machine"
        return [Row(r.name, r.what, r.target, r.unit, note=why) for r in (spent, held)]
    more = f'\n[processes]\ncontainer = "{kind}"\n'
    with QuietDaemon(more=more) as daemon, daemon.client() as client:
        root = str(client.call("subsession.open", {"workspace": str(daemon.workspace)})["nodeId"])
        return [_time(scale, spent, client, root), _memory(held, daemon, client, root)]


def _time(scale: Scale, row: Row, client: Client, root: str) -> Row:
    """Time from the call to the report, less the program alone."""
    found = in_turns(
        3 * scale.few,
        ceiling=lambda: timed_ms(lambda: subprocess.run(TRUE, check=True)),
        ours=lambda: timed_ms(lambda: _run(client, root)),
    )
    whole, alone = median(found["ours"]), median(found["ceiling"])
    note = f"{whole:.0f} ms from the call to the report; the program alone {alone:.1f} ms"
    return limited(Row(row.name, row.what, row.target, row.unit, note=note), whole - alone, TIME_MS)


def _run(client: Client, root: str) -> None:
    _spawn(client, root, TRUE)
    page = client.call("subsession.inbox", {"nodeId": root, "waitMs": WAIT_MS})
    read = [message["messageId"] for message in page["messages"]]
    if len(read) != 1:
        raise RuntimeError(f"one report was expected, {len(read)} came")
    client.call("subsession.inbox", {"nodeId": root, "acknowledge": read})


def _spawn(client: Client, root: str, argv: list[str], **more: Any) -> str:
    given = {"parentId": root, "role": "check", "brief": {"mission": "Run."}, "argv": argv, **more}
    return str(client.call("subsession.spawn", given)["nodeId"])


def _memory(row: Row, daemon: QuietDaemon, client: Client, root: str) -> Row:
    """Count what a child adds: processes of ours above its program, and growth of the daemon."""
    pid = pid_of(daemon)
    before = pss_by_pid(pid)
    child = _spawn(client, root, SLEEP, waitMs=WAIT_MS)
    time.sleep(0.5)  # what the start needed for a moment is given back
    after = pss_by_pid(pid)
    with subprocess.Popen(SLEEP) as alone:
        time.sleep(0.2)
        program = pss_kib(alone.pid)
        alone.kill()
    client.call("subsession.cancel", {"nodeId": child})
    grown = (sum(after.values()) - sum(before.values()) - program) / 1024
    count = len(after) - len(before) - 1
    note = f"{count} processes of ours; the daemon grew by {after[pid] - before[pid]:.0f} KiB"
    return limited(Row(row.name, row.what, row.target, row.unit, note=note), grown, MEMORY_MIB)
