"""A stand-in for a person's editor: a process of its own that starts the real `subsession mcp`."""

import json
import os
import select
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from subsession.errors import Unreachable
from tests.support.daemon import Daemon

WITHIN_S = 30.0
AGENT = """
import json, os, signal, subprocess, sys
ends = json.loads(sys.argv[1])
for asks, says in ends:
    subprocess.Popen(sys.argv[2:], stdin=asks, stdout=says)
for asks, says in ends:
    os.close(asks), os.close(says)
print(flush=True)
while True:
    signal.pause()
"""
HELLO = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "ide"}}


class Wire:
    """The two pipes of one bridge, as the editor has them."""

    def __init__(self) -> None:
        self.asks, self.says = os.pipe(), os.pipe()
        self._rest = b""
        self._count = 0
        self.heard: list[Any] = []
        """Every message of the bridge, oldest first."""

    @property
    def theirs(self) -> tuple[int, int]:
        """The descriptors that the bridge gets."""
        return self.asks[0], self.says[1]

    def send(self, raw: bytes) -> None:
        """Write bytes as they are."""
        while raw:
            raw = raw[os.write(self.asks[1], raw) :]

    def begin(self, method: str, /, **params: Any) -> int:
        """Make a request and give its id."""
        self._count += 1
        ask = {"jsonrpc": "2.0", "id": self._count, "method": method, "params": params}
        self.send(json.dumps(ask).encode() + b"\n")
        return self._count

    def note(self, method: str, /, **params: Any) -> None:
        """Send a notification."""
        note = {"jsonrpc": "2.0", "method": method, "params": params}
        self.send(json.dumps(note).encode() + b"\n")

    def answer(self, call_id: int | str | None) -> Any:
        """Wait for the answer to a request."""
        until = time.monotonic() + WITHIN_S
        while not (found := self.answers(call_id)):
            self.hear(until - time.monotonic())
        return found[0]

    def answers(self, call_id: int | str | None) -> list[Any]:
        """Give what was heard in answer to a request."""
        return [one for one in self.heard if "method" not in one and one.get("id") == call_id]

    def ask(self, method: str, /, **params: Any) -> Any:
        """Make a request and give the whole answer."""
        return self.answer(self.begin(method, **params))

    def begin_tool(self, name: str, /, **arguments: Any) -> int:
        """Begin the call of a tool and give its id."""
        return self.begin("tools/call", name=name, arguments=arguments)

    def tool(self, name: str, /, **arguments: Any) -> Any:
        """Call a tool and give its result."""
        return self.answer(self.begin_tool(name, **arguments))["result"]

    def text(self, name: str, /, **arguments: Any) -> str:
        """Call a tool that is to succeed, and give its texts."""
        result = self.tool(name, **arguments)
        assert not result["isError"], result
        return "\n".join(part["text"] for part in result["content"])

    def hear(self, within_s: float) -> None:
        """Read what the bridge says next."""
        assert within_s > 0, f"nothing more was heard after {self.heard[-3:]}"
        if not select.select([self.says[0]], [], [], within_s)[0]:
            return
        data = os.read(self.says[0], 1 << 16)
        assert data, f"the bridge has gone after {self.heard[-3:]}"
        *lines, self._rest = (self._rest + data).split(b"\n")
        self.heard += [json.loads(line) for line in lines]

    def is_dead(self) -> bool:
        """Tell whether the bridge's words have ended within a moment."""
        readable = select.select([self.says[0]], [], [], 0.5)[0]
        return bool(readable) and not os.read(self.says[0], 1 << 16)

    def is_over(self) -> bool:
        """Wait for the end of the bridge's words."""
        while select.select([self.says[0]], [], [], WITHIN_S)[0]:
            if not os.read(self.says[0], 1 << 16):
                return True
        return False

    def close_input(self) -> None:
        """End what the bridge reads; idempotent."""
        if self.asks[1] >= 0:
            os.close(self.asks[1])
            self.asks = (self.asks[0], -1)


class Ide:
    """An editor; it and its bridges end with the context.

    Args:
        state: the daemon's state directory; a bridge starts one there where none runs.
        folder: in which it starts its bridges.
        launcher: words by which it starts a bridge.
        options: words behind `subsession mcp`.
        bridges: how many.
    """

    def __init__(
        self,
        state: Path,
        folder: Path,
        *launcher: str,
        options: tuple[str, ...] = (),
        bridges: int = 1,
        environ: dict[str, str] | None = None,
    ) -> None:
        self.wires = [Wire() for _ in range(bridges)]
        theirs = [wire.theirs for wire in self.wires]
        inherited = [fd for pair in theirs for fd in pair]
        command = [sys.executable, "-m", "subsession.mcp", "--state-dir", str(state), *options]
        home = {"PATH": os.environ["PATH"], "HOME": str(folder), **(environ or {})}
        self.process = subprocess.Popen(
            [sys.executable, "-c", AGENT, json.dumps(theirs), *launcher, *command],
            env=home,
            cwd=folder,
            stdout=subprocess.PIPE,
            pass_fds=inherited,
        )
        for fd in inherited:
            os.close(fd)
        assert self.process.stdout is not None
        self.process.stdout.readline()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        fault: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for wire in self.wires:
            wire.close_input()
        try:
            assert all(wire.is_over() for wire in self.wires) or kind is not None
        finally:
            self.end()
            for wire in self.wires:
                os.close(wire.says[0])
            assert self.process.stdout is not None
            self.process.stdout.close()

    @property
    def wire(self) -> Wire:
        """The only bridge, or the first."""
        return self.wires[0]

    def greet(self) -> Any:
        """Shake hands as every public agent does, and give the first answer."""
        said = self.wire.ask("initialize", **HELLO)
        self.wire.note("notifications/initialized")
        return said

    def end(self) -> None:
        """Kill the editor alone; its bridges live on until they see the end of their input."""
        self.process.kill()
        self.process.wait()

    def bridge_pids(self) -> list[int]:
        """Give the numbers of its bridges' processes, launchers left out."""
        found = list[int]()
        below = [self.process.pid]
        while below:
            for pid in _children(below.pop()):
                words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
                is_bridge = words[1:3] == [b"-m", b"subsession.mcp"]
                found += [pid] if is_bridge else []
                below += [] if is_bridge else [pid]
        return found

    def kill_bridge(self) -> None:
        """Kill its only bridge."""
        (pid,) = self.bridge_pids()
        os.kill(pid, signal.SIGKILL)


def _children(pid: int) -> list[int]:
    text = Path(f"/proc/{pid}/task/{pid}/children").read_text()
    return [int(one) for one in text.split()]


def folder_of(daemon: Daemon, name: str) -> Path:
    """Make a folder that no other test works in."""
    folder = daemon.folder / name
    folder.mkdir()
    return folder


def roots_on(daemon: Daemon, folder: Path) -> list[str]:
    """Give the live roots of a folder, oldest first."""
    ids = [row["nodeId"] for row in daemon.call("subsession.tree")["rows"] if "parentId" not in row]
    shown = [daemon.call("subsession.node", nodeId=node_id) for node_id in ids]
    pairs = zip(ids, shown, strict=True)
    return [node_id for node_id, one in pairs if one["workspace"] == str(folder)]


def end_daemon(daemon: Daemon, number: int = signal.SIGTERM) -> None:
    """End the daemon that listens now, whoever started it, and wait until it has gone."""
    try:
        pid = daemon.call("daemon.info")["pid"]
    except Unreachable:
        return
    handle = os.pidfd_open(pid)
    try:
        os.kill(pid, number)
        assert select.select([handle], [], [], 30)[0]
    finally:
        os.close(handle)
