"""A real daemon in a process and folder of its own, for tests that look from outside."""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from subsession.client import Client
from subsession.errors import Unreachable

START_S = 20.0
STOP_S = 30.0


class Daemon:
    """Starts, kills and starts again one daemon; its state survives until the context ends.

    Args:
        config: names of configuration files and their text; the shipped ones where left out.
        environ: variables added to its environment.
        arguments: added to `serve`.
        before: words before the daemon's own command line, such as `prlimit` and its options; what
            they name has to become the daemon, not to start it.
    """

    def __init__(
        self,
        config: dict[str, str] | None = None,
        environ: dict[str, str] | None = None,
        arguments: tuple[str, ...] = (),
        before: tuple[str, ...] = (),
    ) -> None:
        # Why not pytest's tmp_path: a socket's path has to be short.
        self.folder = Path(tempfile.mkdtemp(prefix="ssd-"))
        self.state = self.folder / "state"
        self.workspace = self.folder / "work"
        self.workspace.mkdir()
        self.config = self.folder / "config"
        self.config.mkdir()
        for name, text in (config or {}).items():
            (self.config / name).write_text(text, "utf-8")
        self._environ = environ or {}
        self._arguments = arguments
        self._before = before
        self.process: subprocess.Popen[bytes] | None = None
        self.log = self.folder / "out"

    @property
    def socket(self) -> Path:
        """Where it listens."""
        return self.state / "run" / "daemon.sock"

    def __enter__(self) -> Self:
        try:
            return self.start()
        except BaseException:
            self.kill()
            shutil.rmtree(self.folder, ignore_errors=True)
            raise

    def __exit__(
        self,
        kind: type[BaseException] | None,
        fault: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            self.stop()
        finally:
            self.discard()

    def discard(self) -> None:
        """End it at once and remove all it has, for those who use no context."""
        self.kill()
        shutil.rmtree(self.folder, ignore_errors=True)

    def launch(self) -> subprocess.Popen[bytes]:
        """Start the process without waiting for it."""
        environ = {k: v for k, v in os.environ.items() if not k.startswith("SUBSESSION_")}
        environ |= {
            "SUBSESSION_STATE_DIR": str(self.state),
            "SUBSESSION_CONFIG_DIR": str(self.config),
            **self._environ,
        }
        with self.log.open("ab") as out:
            self.process = subprocess.Popen(
                [*self._before, sys.executable, "-m", "subsessiond", "serve", *self._arguments],
                env=environ,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=out,
                start_new_session=True,
            )
        return self.process

    def start(self) -> Self:
        """Start it and wait until it answers."""
        process = self.launch()
        until = time.monotonic() + START_S
        while time.monotonic() < until:
            if process.poll() is not None:
                raise AssertionError(f"the daemon ended with {process.returncode}: {self.said()}")
            try:
                with self.client() as client:
                    client.call("daemon.info", {})
                return self
            except (Unreachable, OSError):
                # Why polling: nothing of a process that is coming up can be waited for from here.
                time.sleep(0.01)
        raise AssertionError(f"the daemon did not answer within {START_S} s: {self.said()}")

    def said(self) -> str:
        """What it printed and logged last."""
        log = self.state / "daemon.log"
        texts = (path.read_text("utf-8", "replace") for path in (self.log, log) if path.exists())
        return "\n".join(texts)[-4_000:]

    def client(self) -> Client:
        """A client of it; the caller is the operator."""
        return Client(self.socket, token="")

    def call(self, method: str, /, **params: Any) -> Any:
        """Call one method on a connection of its own."""
        with self.client() as client:
            return client.call(method, params)

    def kill(self) -> None:
        """End it without a chance to clean up."""
        if self.process is not None and self.process.poll() is None:
            self.process.send_signal(signal.SIGKILL)
        if self.process is not None:
            self.process.wait()

    def stop(self) -> int:
        """Ask it to stop, and give its exit status."""
        if self.process is None:
            return 0
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        return self.process.wait(STOP_S)

    def open(self, **params: Any) -> str:
        """Open a root, on its workspace where no other is named, and give the root's id."""
        answer = self.call("subsession.open", **{"workspace": str(self.workspace), **params})
        return str(answer["nodeId"])

    def rows(self) -> dict[str, Any]:
        """The whole tree by node id."""
        return {row["nodeId"]: row for row in self.call("subsession.tree")["rows"]}
