"""The registry: the single writer of the tree.

It takes every waiting command, decides each in order on an immutable tree, makes all their events
durable in one transaction, and only then publishes the tree, answers, and lets effects begin.
"""

import asyncio
from collections import deque
from collections.abc import Callable
from secrets import token_hex
from typing import Any, NamedTuple

import structlog

from subsessiond.core.decide import decide
from subsessiond.core.react import react
from subsessiond.engine.handing import Handed
from subsessiond.model.commands import ClientCommand, Command, Sweep
from subsessiond.model.decision import Decided, Reply
from subsessiond.model.effects import AnyEffect, AppendJournal
from subsessiond.model.events import AnyEvent, NodeAdmitted, RootOpened
from subsessiond.model.policy import Policy
from subsessiond.model.rejection import Code, Rejection
from subsessiond.model.tree import Tree
from subsessiond.ports import Batch, JournalLine, Store, StoreFault

Answer = Reply | Rejection | None
Listener = Callable[[tuple[AnyEvent, ...], Tree], None]

WAITING_COMMANDS = 1_024
"""Client commands that may wait; one batch at the measured rate takes well under a second."""

BATCH_COMMANDS = 256
"""Commands of one transaction: keeps one turn of the loop in the low tens of milliseconds."""

RETRY_S = 0.1

NO_ROOM = Rejection(
    code=Code.STORE_UNAVAILABLE,
    step="disk",
    detail="its disk is nearly full, and what lives must still be able to end",
)
"""Without a time to wait: only somebody who frees space can help."""

log = structlog.get_logger(__name__)


class DecisionError(Exception):
    """A bug in a decision. It changed nothing; the incident id finds its story in the log."""

    def __init__(self, incident: str) -> None:
        super().__init__(f"a decision failed; incident {incident}")
        self.incident = incident


class Entry:
    """One waiting command and whoever waits for its answer."""

    __slots__ = ("command", "future")

    def __init__(self, command: Command, future: asyncio.Future[Answer] | None) -> None:
        self.command = command
        self.future = future

    def answer(self, reply: Answer) -> None:
        """Answer, unless the caller has gone."""
        if self.future is not None and not self.future.done():
            self.future.set_result(reply)

    def fail(self, error: Exception) -> None:
        """Give a bug to the caller, unless it has gone."""
        if self.future is not None and not self.future.done():
            self.future.set_exception(error)


class Outcome(NamedTuple):
    """One decided command, until its batch is durable."""

    entry: Entry
    decided: Decided
    effects: tuple[AnyEffect, ...]


class Registry:
    """Owns the published tree; nobody else replaces it."""

    def __init__(
        self,
        tree: Tree,
        policy: Policy,
        store: Store,
        perform: Callable[[AnyEffect], None],
    ) -> None:
        self.tree = tree
        self.policy = policy
        self._store = store
        self._perform = perform
        self._clients: deque[Entry] = deque()
        self._internal: deque[Entry] = deque()
        self._wake = asyncio.Event()
        self.handed = Handed()
        self._listeners: list[Listener] = [self.handed.on_events]
        self._closing = False
        self._stopped = False

    def submit(self, command: ClientCommand) -> asyncio.Future[Answer]:
        """Queue a client's command, before anything is awaited: arrival order is decision order.

        Returns:
            A future of the reply or refusal. A full queue and a stopped registry are answered at
            once. A bug in the decision raises DecisionError from it.
        """
        future: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        entry = Entry(command, future)
        if self._stopped or self._closing:
            entry.answer(Rejection(code=Code.BUSY, step="daemon", detail="the daemon is stopping"))
        elif len(self._clients) >= WAITING_COMMANDS:
            entry.answer(
                Rejection(
                    code=Code.BUSY,
                    step="queue",
                    detail="too many calls wait to be decided",
                    limit=WAITING_COMMANDS,
                    actual=len(self._clients),
                    retry_after_ms=250,
                ),
            )
        else:
            self._clients.append(entry)
            self._wake.set()
        return future

    def tell(self, command: Command) -> None:
        """Queue an internal command (an exit, a start, a tick): never refused, served first."""
        if not self._stopped:
            self._internal.append(Entry(command, None))
            self._wake.set()

    async def ask(self, command: Command) -> Answer:
        """Queue an internal command and wait until it is durable."""
        future: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        if self._stopped:
            return Rejection(code=Code.BUSY, step="daemon", detail="the daemon has stopped")
        self._internal.append(Entry(command, future))
        self._wake.set()
        return await future

    def listen(self, listener: Listener) -> Callable[[], None]:
        """Call `listener` after each publication; returns what removes it again."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    def close(self) -> None:
        """Refuse client commands from now on; internal ones are still served."""
        self._closing = True

    def stop(self) -> None:
        """Let `run` return once what waits has been served."""
        self._closing = True
        self._stopped = True
        self._wake.set()

    async def run(self) -> None:
        """Serve commands until stopped.

        Raises:
            StoreFault: the store is beyond use; every caller was answered.
        """
        try:
            while True:
                await self._wake.wait()
                self._wake.clear()
                while batch := self._take():
                    await self._serve(batch)
                if self._stopped:
                    return
        finally:
            self._stopped = True
            self._answer_all()

    def _take(self) -> list[Entry]:
        batch: list[Entry] = []
        for lane in (self._internal, self._clients):
            while lane and len(batch) < BATCH_COMMANDS:
                if isinstance(lane[0].command, Sweep):
                    # Why alone: it may forget nodes that others in its batch have changed.
                    return batch or [lane.popleft()]
                batch.append(lane.popleft())
        return batch

    def _answer_all(self) -> None:
        lost = Rejection(code=Code.STORE_UNAVAILABLE, step="commit", detail="the daemon stopped")
        for entry in (*self._internal, *self._clients):
            entry.answer(lost)
        self._internal.clear()
        self._clients.clear()

    async def _serve(self, batch: list[Entry]) -> None:
        tree, outcomes = self._decide(batch)
        events = tuple(event for outcome in outcomes for event in outcome.decided.events)
        durable = tuple(event for event in events if event.durable)
        if durable:
            try:
                await self._store.commit(
                    Batch(events=durable, tree=tree, lines=_lines(outcomes)),
                )
            except StoreFault as fault:
                await self._refuse(outcomes, fault)
                return
            except BaseException:
                self._drop(outcomes)
                raise
        self._publish(tree, events, outcomes)

    def _decide(self, batch: list[Entry]) -> tuple[Tree, list[Outcome]]:
        """Decide each command on the tree that the ones before it have made."""
        tree, outcomes = self.tree, []
        for entry in batch:
            try:
                decided = self._with_room(tree, decide(tree, self.policy, entry.command))
                effects = tuple(
                    effect for event in decided.events for effect in react(decided.tree, event)
                )
            except Exception as error:  # noqa: BLE001  # a bug changes nothing and is reported
                _report_bug(entry, error)
                continue
            tree = decided.tree
            outcomes.append(Outcome(entry=entry, decided=decided, effects=effects))
        return tree, outcomes

    def _with_room(self, tree: Tree, decided: Decided) -> Decided:
        """Let nothing new begin on a disk that is nearly full; what lives can still come to an end.

        Why after the decision: a repeated call still gets its first answer, and a spawn that is
        refused anyway is told its own reason.
        """
        if not any(isinstance(event, RootOpened | NodeAdmitted) for event in decided.events):
            return decided
        return decided if self._store.room() else Decided(tree=tree, reply=NO_ROOM)

    def _publish(
        self,
        tree: Tree,
        events: tuple[AnyEvent, ...],
        outcomes: list[Outcome],
    ) -> None:
        # No await below this line: publication, answers and effects are one turn of the loop.
        self.tree = tree
        if events:
            for listener in tuple(self._listeners):
                listener(events, tree)
        for outcome in outcomes:
            outcome.entry.answer(outcome.decided.reply)
        for outcome in outcomes:
            for effect in outcome.effects:
                self._perform(effect)

    async def _refuse(self, outcomes: list[Outcome], fault: StoreFault) -> None:
        """Drop a batch whose commit failed: nothing changed, every caller is told."""
        log.error("commit failed", fault=str(fault), commands=len(outcomes))
        self._drop(outcomes)
        if getattr(fault, "fatal", False):
            raise fault
        # Why: what the daemon itself has seen (an exit, a start) stays true, so it is tried again.
        again = [o.entry for o in outcomes if not isinstance(o.entry.command, ClientCommand)]
        self._internal.extendleft(reversed(again))
        if again:
            await asyncio.sleep(RETRY_S)

    def _drop(self, outcomes: list[Outcome]) -> None:
        lost = Rejection(code=Code.STORE_UNAVAILABLE, step="commit", retry_after_ms=1_000)
        for outcome in outcomes:
            if isinstance(outcome.entry.command, ClientCommand):
                outcome.entry.answer(lost)


def _report_bug(entry: Entry, error: Exception) -> None:
    incident = token_hex(6)
    command: Any = type(entry.command).__name__
    log.error("decision failed", incident=incident, command=command, exc_info=error)
    entry.fail(DecisionError(incident))


def _lines(outcomes: list[Outcome]) -> tuple[JournalLine, ...]:
    return tuple(
        JournalLine(
            node_id=effect.node,
            workspace=effect.workspace,
            n=effect.line,
            at_ms=effect.at_ms,
            kind=effect.kind,
            body=effect.body,
        )
        for outcome in outcomes
        for effect in outcome.effects
        if isinstance(effect, AppendJournal)
    )
