"""A desk for tests: the real registry on a store in memory, and every method callable by name.

Effects are collected and carried out by nobody: a test says itself what became of a child.
"""

import asyncio
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from subsessiond.adapters.ids import RandomIds
from subsessiond.engine.channels import Channels
from subsessiond.engine.ledger import Ledger, listening
from subsessiond.engine.registry import Registry
from subsessiond.engine.tokens import Tokens
from subsessiond.engine.waiting import Waiting
from subsessiond.model.brief import FieldFault
from subsessiond.model.commands import (
    Caller,
    Command,
    ConfirmGone,
    ConfirmStart,
    SubmitReport,
)
from subsessiond.model.effects import AnyEffect
from subsessiond.model.ids import NodeId
from subsessiond.model.node import Node
from subsessiond.model.peer import Peer
from subsessiond.model.policy import Policy
from subsessiond.model.process import Identity
from subsessiond.model.rejection import Rejection
from subsessiond.model.report import Outcome, Report, Stage
from subsessiond.model.tree import Tree
from subsessiond.ports import ConfigFault
from subsessiond.rpc.call import Call, Handler
from subsessiond.rpc.connection import Connection
from subsessiond.rpc.desk import About, Desk, open_desk
from subsessiond.rpc.methods import handlers
from subsessiond.rpc.refused import Malformed, Refused
from subsessiond.rpc.territories import Territories
from subsessiond.wire.methods import METHODS
from tests.support.listed_journals import ListedJournals
from tests.support.memory_store import MemoryStore
from tests.support.policies import a_policy
from tests.support.tested_workspace import TestedWorkspace
from tests.support.transcripts import ListedTranscripts

PERSON = Caller(may_grant=True, why="a terminal")
SCRIPT = Caller(why="no terminal")
START_MS = 1_800_000_000_000

ABOUT = About(
    version="0",
    pid=1,
    started_at_ms=START_MS - 5,
    socket="/run/daemon.sock",
    state_dir="/state",
    config_dir="/config",
    containers="descent",
)

_PARAMS = {method.name: method.params for method in METHODS}


class ManualClock:
    """Stands still until it is moved."""

    def __init__(self) -> None:
        self.at_ms = START_MS
        self.awake = 1_000_000

    def wall_ms(self) -> int:
        """Wall clock."""
        return self.at_ms

    def awake_ms(self) -> int:
        """Awake clock."""
        return self.awake

    async def sleep(self, ms: int) -> None:
        """Not used: nothing here waits for time."""
        raise AssertionError(ms)

    def move(self, ms: int) -> None:
        """Let time pass."""
        self.at_ms += ms
        self.awake += ms


class Bench:
    """Calls methods as a client would, by name and with JSON; plays the part of the children."""

    def __init__(self, desk: Desk, registry: Registry, clock: ManualClock, folder: str) -> None:
        self.desk = desk
        self.registry = registry
        self.clock = clock
        self.folder = folder
        self.methods: dict[str, Handler] = dict(handlers(desk))
        self.territories: Territories
        self.journals: ListedJournals
        self.transcripts: ListedTranscripts
        self.store: MemoryStore
        self.workspace: TestedWorkspace
        self.effects: list[AnyEffect] = []
        self.peers: list[tuple[Caller, Peer]] = []
        self.running: list[Identity] = []
        """Agents outside that have not gone."""
        self.ends: list[None] = []
        self.faults: list[ConfigFault] = []
        """What the next reload meets."""

    @property
    def tree(self) -> Tree:
        """The published tree."""
        return self.registry.tree

    def node(self, node_id: str) -> Node:
        """A node as it stands now."""
        return self.tree.nodes[NodeId(node_id)]

    async def raw(
        self,
        method: str,
        by: Caller = PERSON,
        connection: Connection | None = None,
        **params: Any,
    ) -> bytes:
        """Call a method; gives its result as JSON, or raises Refused."""
        fields = _PARAMS[method].model_validate(params)
        answer = await self.methods[method](Call(by, connection), fields)
        return msgspec.json.encode(answer)

    async def call(self, method: str, by: Caller = PERSON, **params: Any) -> Any:
        """Call a method; gives its result as parsed JSON."""
        return msgspec.json.decode(await self.raw(method, by, **params))

    async def refusal(self, method: str, by: Caller = PERSON, **params: Any) -> Rejection:
        """Call a method that is to be refused."""
        try:
            answer = await self.call(method, by, **params)
        except Refused as refused:
            return refused.rejection
        raise AssertionError(f"not refused: {answer}")

    async def faults_of(self, method: str, **params: Any) -> tuple[FieldFault, ...]:
        """Call a method with what it cannot take."""
        try:
            answer = await self.call(method, **params)
        except Malformed as malformed:
            return malformed.faults
        raise AssertionError(f"taken: {answer}")

    async def root(self, **params: Any) -> str:
        """Open a root on the bench's folder."""
        opened = await self.call("subsession.open", workspace=self.folder, **params)
        return str(opened["nodeId"])

    async def child(self, parent: str, role: str = "worker", **brief: Any) -> str:
        """Spawn a child and let it run."""
        cap = 200_000 if role == "lead" else 20_000
        order = {"mission": "work", "tokenCap": cap, **brief}
        answer = await self.call("subsession.spawn", parentId=parent, role=role, brief=order)
        await self.tell(ConfirmStart(node=answer["nodeId"], **self.desk.stamps()))
        return str(answer["nodeId"])

    async def tell(self, command: Command) -> None:
        """Let an internal command be decided and published."""
        await self.registry.ask(command)

    async def say(self, node_id: str, output: str, stage: Stage, **fields: Any) -> None:
        """Let a child report."""
        if stage is Stage.FINAL:
            fields.setdefault("outcome", Outcome.COMPLETED)
        said = Report(stage=stage, output=output, **fields)
        command = SubmitReport(
            node=NodeId(node_id),
            report=said,
            fingerprint=f"{node_id} {said}",
            size_bytes=len(output.encode()),
            caller=as_node(node_id),
            **self.desk.stamps(),
        )
        await self.registry.submit(command)

    async def finish(self, node_id: str, output: str = "done", **fields: Any) -> None:
        """Let a child send its final and be gone."""
        await self.say(node_id, output, Stage.FINAL, **fields)
        await self.gone(node_id)

    async def gone(self, node_id: str, *leftovers: str) -> None:
        """Let a settled child's processes be gone, or not quite."""
        stamps = self.desk.stamps()
        await self.tell(ConfirmGone(node=NodeId(node_id), leftovers=leftovers, **stamps))


def as_node(node_id: str) -> Caller:
    """Call as a node."""
    return Caller(node_id=NodeId(node_id), why="its territory")


def identity(
    pid: int, start_ticks: int = 1, *, cgroup: str = "", boot_id: str = "boot"
) -> Identity:
    """Make an identity."""
    return Identity(
        pid=pid,
        start_ticks=start_ticks,
        boot_id=boot_id,
        container="cgroup" if cgroup else "descent",
        cgroup=cgroup,
        marker="",
    )


@asynccontextmanager
async def a_bench(folder: Path, policy: Policy | None = None) -> AsyncIterator[Bench]:
    """Serve a registry and give a bench on it."""
    store, effects = MemoryStore(), list[AnyEffect]()
    registry = Registry(Tree(), policy or a_policy(), store, effects.append)
    waiting, workspace = Waiting(registry), TestedWorkspace()
    bench = _bench(registry, store, waiting, workspace, str(folder.resolve()))
    bench.store, bench.effects = store, effects
    task = asyncio.create_task(registry.run())
    try:
        yield bench
    finally:
        waiting.close()
        registry.stop()
        await task
        workspace.close()
        for thread in threading.enumerate():
            if thread.name.startswith("workspace"):
                thread.join(5)  # `close` asks them to end and does not wait


async def _reload(registry: Registry, faults: list[ConfigFault]) -> Policy:
    """Read the tables anew, as far as there are any."""
    if faults:
        raise faults.pop()
    return registry.policy


def _bench(
    registry: Registry,
    store: MemoryStore,
    waiting: Waiting,
    workspace: TestedWorkspace,
    folder: str,
) -> Bench:
    clock, journals, transcripts = ManualClock(), ListedJournals(), ListedTranscripts()
    territories = Territories(registry.tree)
    ledger = listening(registry, Ledger(store, clock))
    changes, feed, rows = open_desk(registry, territories.on_events, ledger)
    peers, ends, faults = list[tuple[Caller, Peer]](), list[None](), list[ConfigFault]()
    running = list[Identity]()
    desk = Desk(
        registry=registry,
        waiting=waiting,
        clock=clock,
        ids=RandomIds(),
        workspace=workspace,
        journals=journals,
        transcripts=transcripts,
        ledger=ledger,
        store=store,
        tokens=Tokens(),
        channels=Channels(),
        about=ABOUT,
        changes=changes,
        feed=feed,
        rows=rows,
        peer_of=lambda caller: next((peer for one, peer in peers if one is caller), None),
        runs=lambda agent: agent in running,
        shutdown=lambda: ends.append(None),
        reload=partial(_reload, registry, faults),
        settle_journals=partial(asyncio.sleep, 0),  # it writes its journals at once
    )
    bench = Bench(desk, registry, clock, folder)
    bench.territories, bench.journals, bench.workspace = territories, journals, workspace
    bench.transcripts, bench.running = transcripts, running
    bench.peers, bench.ends, bench.faults = peers, ends, faults
    return bench
