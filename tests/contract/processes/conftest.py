"""Containers of every kind under the same tests."""

import asyncio
import functools
import os
import time
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from subsessiond.adapters.processes import LinuxProcesses, Process, available_containers
from subsessiond.model.process import ContainerKind, Launch

AGENTS = Path(__file__).parents[2] / "support/agents"
KINDS = (ContainerKind.CGROUP, ContainerKind.PIDNS, ContainerKind.DESCENT)
GRACE_MS = 300
"""For children that ignore TERM: they take all of it."""
PATIENCE_MS = 10_000
"""For children that leave when asked: they take as long as the machine lets them."""
PATH = (("PATH", os.environ["PATH"]),)

available = functools.cache(available_containers)


@pytest.fixture(params=KINDS, ids=str)
def kind(request: pytest.FixtureRequest) -> str:
    """Each kind of container that works for this user on this machine."""
    if request.param not in available():
        pytest.skip(f"this user cannot make a {request.param} container on this machine")
    return str(request.param)


@pytest.fixture
async def processes(kind: str) -> AsyncIterator[LinuxProcesses]:
    """The adapter under test."""
    made = LinuxProcesses(container=kind, term_grace_ms=PATIENCE_MS, close_stdin_ms=PATIENCE_MS)
    yield made
    await made.aclose()


def own(node_id: str) -> str:
    """Make a node id of this test process alone: what carries a mark is ended by its mark."""
    return f"{node_id}-{os.getpid()}"


def launch(*argv: str, node_id: str = "n1", stdin: bytes | None = b"", cwd: str = "/") -> Launch:
    """Give a launch with nothing but a PATH."""
    return Launch(node_id=own(node_id), argv=argv, cwd=cwd, env=PATH, stdin=stdin)


def sh(script: str, **more: object) -> Launch:
    """Give the launch of a shell script."""
    return launch("sh", "-c", script, **more)  # type: ignore[arg-type]


async def read_all(process: Process) -> bytes:
    """Read its output to the end."""
    parts = []
    while part := await process.read_stdout():
        parts.append(part)
    return b"".join(parts)


async def until(condition: Callable[[], object], limit_s: float = 5) -> None:
    """Return when something has become true; the wait is bounded."""
    deadline = time.monotonic() + limit_s
    while not condition():
        assert time.monotonic() < deadline, "it never became true"
        await asyncio.sleep(0.01)


def marked(node_id: str) -> tuple[int, ...]:
    """Find all living processes of a node by their environment alone, as an outsider would."""
    found = []
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            environ = Path(f"/proc/{name}/environ").read_bytes().split(b"\0")
        except OSError:
            continue
        if f"SUBSESSION_NODE={own(node_id)}".encode() in environ:
            found.append(int(name))
    return tuple(found)
