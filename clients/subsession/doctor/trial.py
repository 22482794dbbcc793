"""Tries agents for real: a daemon, a home and a workspace of their own, and a model that reports.

What is proven is the whole way: the agent starts in its container, has our tools listed, its model
is offered them, calls `report`, and the report arrives.
"""

import contextlib
import json
import os
import queue
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any, Final

from subsession.client import Client
from subsession.doctor.recipes import point
from subsession.doctor.remains import END_S, PREFIX, STATE, clear, end_daemon, hold
from subsession.doctor.tables import write_tables
from subsession.mirror import Mirror, wait_settled
from subsession.start import wait_gone
from subsession.verbs import Json

MISSION: Final = "Report once, with the tool for it, and end your turn."
ROLE: Final = "trial"
TOOLS: Final = ("read", "search", "think")
START_S: Final = 20.0
_MINE: Final = ("operator", "tcp")
"""Tables of `subsessiond.toml` that are about the user's own daemon."""


@dataclass(frozen=True, slots=True)
class Tried:
    """How one trial ended."""

    agent: str
    view: Json
    """Its node, as it is now."""
    offered: tuple[str, ...] | None
    """Tools that its model was offered; none where it asked no model."""
    reported: bool
    took_s: float


class Model:
    """The model on this machine, as a process; what it hears is kept."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "subsessiond.loopback"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        self._lines: queue.SimpleQueue[Json] = queue.SimpleQueue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        self.url = str(self._lines.get(timeout=START_S)["url"])

    def heard(self) -> list[Json]:
        """Give what it was asked since this was called last."""
        found = []
        with contextlib.suppress(queue.Empty):
            while True:
                found.append(self._lines.get_nowait())
        return found

    def close(self) -> None:
        """End it."""
        with self._process:
            if self._process.stdin is not None:
                self._process.stdin.close()
        self._reader.join()

    def _read(self) -> None:
        for line in self._process.stdout or ():
            self._lines.put(json.loads(line))


class Trial:
    """Tries agents one after the other.

    Args:
        state_dir: of the user's daemon; the trial lies in it for a while, because some agents read
            nothing from a folder that others may write to.
        config_dir: of the user's daemon.
    """

    def __init__(self, state_dir: Path, config_dir: Path) -> None:
        self._config_dir = config_dir
        self._profiles: dict[str, Any] = read_agents(config_dir)
        clear(state_dir)
        self._folder = Path(tempfile.mkdtemp(prefix=PREFIX, dir=state_dir))
        self._parts = contextlib.ExitStack()
        self._parts.callback(os.close, hold(self._folder))
        self._parts.callback(shutil.rmtree, self._folder, ignore_errors=True)
        # Why here too: an interrupt may come while the daemon is only coming up.
        self._parts.callback(end_daemon, self._folder / STATE)
        try:
            self._model = Model()
        except BaseException:  # nobody else can remove the folder
            self._parts.close()
            raise
        self._parts.callback(self._model.close)

    def known(self, name: str) -> bool:
        """Tell whether a way is known to point an agent at another model."""
        return point(name, self._profiles.get(name, {}), "") is not None

    def close(self) -> None:
        """End everything and leave nothing."""
        self._parts.close()

    def run(self, name: str, limit_s: float) -> Tried:
        """Try one agent.

        Args:
            name: An agent of the table, for which a way is known.
            limit_s: How long it may take.

        Raises:
            SubsessionError: the daemon of the trial did not come up, or refused.
        """
        began = time.monotonic()
        with self._daemon(name) as client:
            self._model.heard()
            root = client.open(str(self._folder / "workspace"))
            child = client.spawn(ROLE, {"mission": MISSION}, parent_id=str(root["nodeId"]))
            node_id = str(child["nodeId"])
            waited = wait_settled(
                Mirror(), [node_id], any_of=False, timeout_ms=int(limit_s * 1_000)
            )
            client.follow(waited)
            took_s = time.monotonic() - began
            heard = [line for line in self._model.heard() if line["offered"]]
            return Tried(
                agent=name,
                view=client.node(node_id),
                offered=tuple(heard[0]["offered"]) if heard else None,
                reported=any(line["reports"] for line in heard),
                took_s=took_s,
            )

    @contextlib.contextmanager
    def _daemon(self, name: str) -> Iterator[Client]:
        """Run a daemon whose one agent is the one that is tried."""
        state, config = self._folder / STATE, self._folder / "config"
        for folder in (state, config, self._folder / "workspace"):
            folder.mkdir(mode=0o700, exist_ok=True)
        self._configure(name, config)
        with _environment(SUBSESSION_CONFIG_DIR=str(config)):
            client = Client(state_dir=state, token="", start=True)
            info = client.connect()
        try:
            yield client
        finally:
            with contextlib.closing(client):
                client.shutdown()
            if client.socket is not None:
                wait_gone(client.socket, int(info["pid"]), END_S)
            shutil.rmtree(state, ignore_errors=True)

    def _configure(self, name: str, folder: Path) -> None:
        profile = point(name, self._profiles[name], self._model.url)
        role = {"tier": ROLE, "depth_cap": 0, "tools": list(TOOLS)}
        agents = {"tiers": {ROLE: name}, "agents": {name: profile}}
        (folder / "agents.toml").write_text(write_tables(agents), "utf-8")
        (folder / "roles.toml").write_text(write_tables({ROLE: role}), "utf-8")
        (folder / "subsessiond.toml").write_text(write_tables(self._settings()), "utf-8")

    def _settings(self) -> dict[str, Any]:
        """Give the user's own settings, but for what only her own daemon may have."""
        path = self._config_dir / "subsessiond.toml"
        found = tomllib.loads(path.read_text("utf-8")) if path.exists() else {}
        return {name: table for name, table in found.items() if name not in _MINE}


def read_agents(config_dir: Path) -> dict[str, Any]:
    """Read the agent table: the user's, or the one that is shipped."""
    own = config_dir / "agents.toml"
    if own.exists():
        text = own.read_text("utf-8")
    else:
        text = resources.files("subsessiond").joinpath("defaults/agents.toml").read_text("utf-8")
    agents: dict[str, Any] = tomllib.loads(text).get("agents", {})
    return agents


@contextlib.contextmanager
def _environment(**words: str) -> Iterator[None]:
    """Set variables for a while: a daemon takes its configuration from there."""
    before = {name: os.environ.get(name) for name in words}
    os.environ.update(words)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
