"""A stand-in for a person's agent: a process of its own with MCP bridges below it."""

import json
import os
import subprocess
import sys
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self

from tests.support.daemon import Daemon

BRIDGE = Path(__file__).with_name("agents") / "bridge.py"

AGENT = """
import json, os, subprocess, sys
ends = json.loads(sys.argv[1])
for asks, says in ends:
    subprocess.Popen(sys.argv[2:], stdin=asks, stdout=says)
for asks, says in ends:
    os.close(asks), os.close(says)
print(flush=True)
while True:
    os.wait()
"""


class Bridged:
    """An agent; it and its bridges end with the context.

    Args:
        daemon: whom the bridges call.
        launcher: words by which the agent starts a bridge.
        bridges: how many.
    """

    def __init__(self, daemon: Daemon, *launcher: str, bridges: int = 1) -> None:
        script = daemon.folder / "subsession"
        if not script.exists():
            script.symlink_to(BRIDGE)
        asks, says = [os.pipe() for _ in range(bridges)], [os.pipe() for _ in range(bridges)]
        theirs = [(ask[0], say[1]) for ask, say in zip(asks, says, strict=True)]
        inherited = [fd for pair in theirs for fd in pair]
        words = [*launcher, sys.executable, str(script), "mcp", str(daemon.socket)]
        self.process = subprocess.Popen(
            [sys.executable, "-c", AGENT, json.dumps(theirs), *words],
            env={"PATH": os.environ["PATH"], "HOME": str(daemon.folder)},
            stdout=subprocess.PIPE,
            pass_fds=inherited,
        )
        for fd in inherited:
            os.close(fd)
        self._asks: list[IO[str]] = [os.fdopen(ask[1], "w") for ask in asks]
        self._says: list[IO[str]] = [os.fdopen(say[0], "r") for say in says]
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
        self.end_bridges()
        self.end_agent()
        assert self.process.stdout is not None
        self.process.stdout.close()

    def end_agent(self) -> None:
        """Kill the agent alone; its bridges live on."""
        self.process.kill()
        self.process.wait()

    def end_bridges(self) -> None:
        """Let the bridges see the end of their input, and wait until they have gone."""
        for asks, says in zip(self._asks, self._says, strict=True):
            if not asks.closed:
                asks.close()
                says.read()
                says.close()

    def say(self, method: str, /, bridge: int = 0, *, fresh: bool = False, **params: Any) -> Any:
        """Make one call through a bridge, and give the whole answer."""
        ask = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params, "fresh": fresh}
        return self._line(bridge, ask)

    def call(self, method: str, /, bridge: int = 0, *, fresh: bool = False, **params: Any) -> Any:
        """Make one call that is to succeed, and give its result."""
        said = self.say(method, bridge, fresh=fresh, **params)
        assert "result" in said, said
        return said["result"]

    def refusal(
        self, method: str, /, bridge: int = 0, *, fresh: bool = False, **params: Any
    ) -> Any:
        """Make one call that is to be refused, and give why."""
        said = self.say(method, bridge, fresh=fresh, **params)
        assert "error" in said, said
        return said["error"]["data"]

    def bridge_pid(self, bridge: int = 0) -> int:
        """Give the number of a bridge's process."""
        return int(self._line(bridge, {})["result"])

    def open(self, daemon: Daemon, bridge: int = 0, **params: Any) -> Any:
        """Open or resume a root on the daemon's workspace."""
        return self.call("subsession.open", bridge, workspace=str(daemon.workspace), **params)

    def _line(self, bridge: int, ask: dict[str, Any]) -> Any:
        self._asks[bridge].write(json.dumps(ask) + "\n")
        self._asks[bridge].flush()
        return json.loads(self._says[bridge].readline())
