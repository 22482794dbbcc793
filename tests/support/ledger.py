"""A registry without an engine: makes events, folds them with the real `evolve`, commits them."""

from pathlib import Path
from typing import Any, Self

from msgspec import to_builtins
from msgspec.structs import replace

from subsessiond.adapters.lock import StateLock
from subsessiond.adapters.store import SqliteStore
from subsessiond.core.evolve import evolve
from subsessiond.core.indexes import restore
from subsessiond.model.brief import Brief
from subsessiond.model.checkpoint import Checkpoint
from subsessiond.model.events import (
    AnyEvent,
    CheckpointSaved,
    MessagesMoved,
    MessageStaged,
    NodeAdmitted,
    NodeReleased,
    NodeSettled,
    NodeStarted,
    ReportAccepted,
    RootOpened,
)
from subsessiond.model.ids import MessageId, NodeId, message_id
from subsessiond.model.message import Message, MessageState, Source
from subsessiond.model.node import Author, Node, Settlement, Status, StopReason
from subsessiond.model.report import Outcome, Report, Stage
from subsessiond.model.tree import Tree
from subsessiond.ports import Batch, JournalLine, Store

AT_MS = 1_800_000_000_000
_DIGITS = "0123456789abcdefghjkmnpqrstvwxyz"


def node_id(number: int) -> NodeId:
    """Spell a number as a node id; greater numbers are younger nodes."""
    text = ""
    for _ in range(26):
        number, digit = divmod(number, 32)
        text = _DIGITS[digit] + text
    return NodeId(text)


def root(number: int = 1, workspace: str = "/w") -> Node:
    """Make the record of a root."""
    name = node_id(number)
    return Node(
        node_id=name,
        parent=None,
        root=name,
        workspace=workspace,
        status=Status.RUNNING,
        title=f"root {number}",
        depth=8,
        token_cap=5_000_000,
        claimed_at_ms=AT_MS,
    )


def child(number: int, parent: Node, **changes: Any) -> Node:
    """Make the record of a child."""
    given: dict[str, Any] = {
        "node_id": node_id(number),
        "parent": parent.node_id,
        "root": parent.root,
        "workspace": parent.workspace,
        "status": Status.CLAIMED,
        "title": f"child {number} ☂",
        "depth": parent.depth - 1,
        "token_cap": 1_000,
        "claimed_at_ms": AT_MS + number,
        "brief": Brief(mission=f"do {number}", owned_globs=(f"src/{number}/**",)),
        "owns": (f"src/{number}/**",),
    }
    return Node(**{**given, **changes})


def opened(record: Node) -> RootOpened:
    """A root was opened."""
    return RootOpened(node=record.node_id, at_ms=record.claimed_at_ms, record=record)


def admitted(record: Node, **changes: Any) -> NodeAdmitted:
    """A child was admitted."""
    return NodeAdmitted(node=record.node_id, at_ms=record.claimed_at_ms, record=record, **changes)


def started(node: NodeId) -> NodeStarted:
    """Its agent is up."""
    return NodeStarted(node=node, at_ms=AT_MS)


def settled(node: NodeId, line: int = 0, reason: str = "final-report") -> NodeSettled:
    """A node settled."""
    settlement = Settlement(
        outcome=Outcome.COMPLETED,
        stop_reason=StopReason.COMPLETED,
        reason=reason,
        author=Author.CHILD if reason == "final-report" else Author.RUNTIME,
        output="done",
    )
    return NodeSettled(node=node, at_ms=AT_MS, settlement=settlement, line=line)


def released(node: NodeId) -> NodeReleased:
    """All its processes are gone."""
    return NodeReleased(node=node, at_ms=AT_MS)


def line(
    node: Node, n: int, kind: str = "report", body: dict[str, Any] | None = None
) -> JournalLine:
    """Make a journal line of a node."""
    return JournalLine(
        node_id=node.node_id,
        workspace=node.workspace,
        n=n,
        at_ms=AT_MS + n,
        kind=kind,
        body={"output": f"line {n}"} if body is None else body,
    )


def same(tree: Tree, other: Tree) -> bool:
    """Tell whether two trees say the same; the pace of admissions is forgotten on purpose."""
    return replace(tree, pace=Tree().pace) == replace(other, pace=Tree().pace)


class Ledger:
    """A tree and the store it is committed to.

    `tree` is what the store was last told and took.
    """

    def __init__(self, store: Store, tree: Tree) -> None:
        self.store = store
        self.tree = tree

    async def commit(self, *events: AnyEvent, lines: tuple[JournalLine, ...] = ()) -> None:
        """Number events, fold them and commit them in one batch."""
        numbered, tree = self.fold(*events)
        await self.store.commit(Batch(events=numbered, tree=tree, lines=lines))
        self.tree = tree

    def fold(self, *events: AnyEvent) -> tuple[tuple[AnyEvent, ...], Tree]:
        """Number events and fold them, without committing."""
        tree, numbered = self.tree, []
        for event in events:
            numbered.append(replace(event, seq=tree.seq + 1))
            tree = evolve(tree, numbered[-1])
        return tuple(numbered), tree

    def report(
        self, node: NodeId, output: str = "found", stage: Stage = Stage.FINDING
    ) -> tuple[ReportAccepted, MessageStaged]:
        """A child reports, and its parent's mailbox holds the message."""
        record = self.tree.nodes[node]
        assert record.parent is not None
        name = message_id(node, record.messages + 1)
        report = Report(stage=stage, output=output)
        accepted = ReportAccepted(
            node=node,
            at_ms=AT_MS,
            report=report,
            message_id=name,
            fingerprint="f" * 64,
            line=record.journal_lines + 1,
        )
        message = Message(
            message_id=name,
            recipient=record.parent,
            sender=node,
            source=Source.REPORT,
            text=output,
            stage=stage,
        )
        staged = MessageStaged(node=record.parent, at_ms=AT_MS, message=message, caused_by=node)
        return accepted, staged

    def moved(self, recipient: NodeId, state: MessageState, *names: MessageId) -> MessagesMoved:
        """Messages of a recipient changed their state; all of them where none is named."""
        every = tuple(message.message_id for message in self.tree.mail.get(recipient, ()))
        return MessagesMoved(node=recipient, at_ms=AT_MS, message_ids=names or every, state=state)

    def checkpoint(self, node: NodeId, phase: str = "half way") -> CheckpointSaved:
        """A child wrote down where it stands."""
        checkpoint = Checkpoint(phase=phase, state="s", next_step="go on")
        n = self.tree.nodes[node].journal_lines + 1
        return CheckpointSaved(node=node, at_ms=AT_MS, checkpoint=checkpoint, line=n)


class State:
    """A state directory with its lock, and stores opened on it one after the other."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.lock = StateLock.take(directory)
        self.journal_nodes: tuple[Node, ...] = ()
        self.asked_for: list[tuple[str, ...]] = []
        self.told: list[str] = []
        self._stores: list[SqliteStore] = []

    async def open(self, **settings: Any) -> tuple[Ledger, tuple[str, ...]]:
        """Open a store and load it; gives the ledger and the warnings."""
        store = self.store(**settings)
        loaded = await store.load(restore)
        return Ledger(store, loaded.tree), loaded.warnings

    async def open_again(self, ledger: Ledger) -> tuple[Ledger, tuple[str, ...]]:
        """Close a ledger's store and open it as the next daemon would."""
        await ledger.store.aclose()
        return await self.open()

    def store(self, **settings: Any) -> SqliteStore:
        """Make a store that is not loaded yet."""
        given: dict[str, Any] = {"ballast_bytes": 1 << 16, "low_water_bytes": 1 << 20, **settings}
        store = SqliteStore(
            self.directory,
            guard=self.lock.check,
            journal_nodes=self._tell_nodes,
            warn=self.told.append,
            **given,
        )
        self._stores.append(store)
        return store

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Close every store and let the lock go."""
        for store in self._stores:
            await store.aclose()
        self.lock.release()

    async def _tell_nodes(self, workspaces: tuple[str, ...]) -> tuple[Node, ...]:
        self.asked_for.append(workspaces)
        return self.journal_nodes


def builtins(value: object) -> dict[str, Any]:
    """Give a value as the JSON object a journal line has as its body."""
    found: dict[str, Any] = to_builtins(value, str_keys=True)
    return found
