"""A stage with a parent on it, and what can be asked of both afterwards."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.support.lifecycle.stage import Stage, list_running, stage
from tests.support.parents import play, seen, ways, work
from tests.support.parents.leads import Lead, subsession
from tests.support.rigs import Prepared


@dataclass
class Scene:
    """A person's agent, installed, beside a daemon and two kinds of children."""

    here: Stage
    lead: Lead
    prepared: Prepared

    @asynccontextmanager
    async def parent(self, words: str) -> AsyncIterator[play.Running]:
        """Run the agent for the length of a block."""
        async with play.parent(self.prepared, self.here.daemon.workspace, words) as running:
            yield running

    async def rows(self) -> dict[str, dict[str, Any]]:
        """Give every node but the stage's own root."""
        rows = (await self.here.call("tree"))["rows"]
        return {row["nodeId"]: row for row in rows if row["nodeId"] != self.here.root}

    async def root(self) -> str:
        """Give the one root that parents here have had."""
        (root,) = [node for node, row in (await self.rows()).items() if not row.get("parentId")]
        return root

    async def child(self, title: str) -> str:
        """Give the newest child of a title."""
        return [node for node, row in (await self.rows()).items() if row["title"] == title][-1]

    def bridge_pid(self) -> int:
        """Give the one MCP server of ours that an agent runs now."""
        words = [(pid, command_of(pid)) for pid in list_running(str(self.here.daemon.state))]
        (found,) = [pid for pid, given in words if b"mcp" in given]
        return found

    def stats(self, root: str) -> dict[str, Any]:
        """Give what `subsession stats` prints of a root."""
        words = ("stats", root, "--json", "--state-dir", str(self.here.daemon.state))
        found: dict[str, Any] = json.loads(subsession(self.prepared.env, *words))
        return found

    def leaked(self) -> list[str]:
        """Give lines that tools showed to children and that a parent's model was given, too."""
        requests = self.here.stub.requests
        whole = b"".join(request.raw for request in seen.of_parent(requests))
        lines = {
            line for half in work.HALVES for line in seen.lines_of(seen.of_child(requests, half))
        }
        assert len(lines) > work.PAGES * work.LINES
        return sorted(line for line in lines if json.dumps(line)[1:-1].encode() in whole)


@asynccontextmanager
async def scene(lead: Lead) -> AsyncIterator[Scene]:
    """Set it up."""
    async with stage(ways.agents_toml, ways.home_of, {"roles.toml": ways.ROLES}) as here:
        work.fill(here.daemon.workspace)
        with ways.new_home() as home:
            yield Scene(here, lead, lead.prepare(home, here.stub.url, here.daemon.state))


def command_of(pid: int) -> list[bytes]:
    """Give the words of a process."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
    except OSError:  # gone
        return []
