"""A terminal at a daemon, where a person attaches the agents that she runs."""

import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from tests.support.daemon import Daemon
from tests.support.hire import wait_file
from tests.support.tables import AGENTS, ROLES, tables

SUBSESSION: Final = (sys.executable, "-m", "subsession")
LOOKER: Final = """
[looker]
tier = "guest"
tools = ["read"]
token_cap = 20_000
"""


class Terminal:
    """Where a person types: processes that nobody else started, each in a session of its own."""

    def __init__(self, daemon: Daemon) -> None:
        self.daemon = daemon
        self.root = daemon.open()
        self._open: list[subprocess.Popen[str]] = []

    @property
    def environ(self) -> dict[str, str]:
        """Nothing of a node; the daemon is found by it, and the command by its path."""
        plain = {k: v for k, v in os.environ.items() if not k.startswith("SUBSESSION_")}
        path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
        return {**plain, "PATH": path, "SUBSESSION_SOCKET": str(self.daemon.socket)}

    def spawn(self, role: str = "joined", **params: Any) -> str:
        """Spawn a child that waits."""
        brief = {"mission": "Look around.", "ownedGlobs": ["notes/**"], **params.pop("brief", {})}
        call = self.daemon.call
        answer = call("subsession.spawn", parentId=self.root, role=role, brief=brief, **params)
        return str(answer["nodeId"])

    def type(self, *words: str) -> subprocess.Popen[str]:
        """Start `subsession`; its input is the test's to end."""
        process = subprocess.Popen(
            [*SUBSESSION, *words],
            env=self.environ,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        self._open.append(process)
        return process

    def attach(self, node: str, script: str, *options: str) -> subprocess.Popen[str]:
        """Attach a shell."""
        return self.type("attach", node, *options, "--", "sh", "-c", script)

    def running(self, node: str, script: str) -> subprocess.Popen[str]:
        """Attach a shell, and wait until it runs."""
        process = self.attach(node, f"echo >up; {script}")
        wait_file(self.daemon.workspace / "up")
        return process

    def row(self, node: str) -> Any:
        """The row of a node as it stands."""
        return self.daemon.rows()[node]

    def close(self) -> None:
        """End all that was started here."""
        for process in self._open:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.communicate()


@contextlib.contextmanager
def a_terminal(agents: str = AGENTS) -> Iterator[Terminal]:
    """Give a terminal at a daemon."""
    with Daemon(config=tables(agents=agents, roles=ROLES + LOOKER)) as daemon:
        made = Terminal(daemon)
        try:
            yield made
        finally:
            made.close()


def out_of(process: subprocess.Popen[str]) -> tuple[str, str]:
    """End a process's input, and give what it wrote when it has ended."""
    return process.communicate(timeout=20)
