"""The `external` runner: an agent that somebody else runs is the child.

It waits until a process has been attached, lets the node run, and notices the end of that process.
It starts nothing and kills nothing: what it cannot end is told as left, and watched until it goes.
"""

import asyncio
from typing import Final

from subsessiond.adapters.runners.jsonl.ending import ending_of_exit
from subsessiond.model.commands import ConfirmGone, ConfirmStart, EndChild, FailStart
from subsessiond.model.ids import NodeId
from subsessiond.model.node import Node
from subsessiond.model.process import ATTACHED, Exit, Identity, Stopped
from subsessiond.model.report import Outcome
from subsessiond.model.tree import Tree
from subsessiond.ports import ChildOrder, Guest, Guests, RunnerFault, Transcripts, Voice

NOT_HERE: Final = "on this system nobody can be attached: a process cannot be told from a later one"
GONE: Final = "the process that was attached had ended before its node could run"


class ExternalRunner:
    """Waits for processes that somebody else starts.

    Args:
        guests: watches them; none where that cannot be done.
        transcripts: keep what was said to them.
        term_grace_ms: what one that may be asked to leave has for it.
    """

    def __init__(self, guests: Guests | None, transcripts: Transcripts, term_grace_ms: int) -> None:
        self._guests = guests
        self._transcripts = transcripts
        self._term_grace_ms = term_grace_ms

    def start(self, order: ChildOrder, voice: Voice) -> "ExternalChild":
        """Make a child ready to be attached.

        Raises:
            RunnerFault: this system cannot tell a process from one that has its number later.
        """
        if self._guests is None:
            raise RunnerFault(NOT_HERE)
        return ExternalChild(self._guests, self._transcripts, order, voice, self._term_grace_ms)


class ExternalChild:
    """One node, and the process that is its agent once somebody attached it."""

    def __init__(
        self,
        guests: Guests,
        transcripts: Transcripts,
        order: ChildOrder,
        voice: Voice,
        term_grace_ms: int,
    ) -> None:
        self._guests = guests
        self._transcript = transcripts.open(order.node.node_id)
        self._order = order
        self._voice = voice
        self._node = order.node.node_id
        self._grace_s = term_grace_ms / 1_000
        self._guest: Guest | None = None
        self._over = asyncio.Event()
        self._hurry = asyncio.Event()
        self._leaving = asyncio.Lock()
        self._stopped: Stopped | None = None

    async def run(self) -> None:
        """Wait to be attached, run, and say how the process ended."""
        try:
            await self._live()
        finally:
            self._over.set()

    async def _live(self) -> None:
        identity = await self._attached()
        if identity is None:
            return
        self._guest = self._guests.watch(identity)
        if self._guest is None:
            self._voice.tell(FailStart(node=self._node, why=GONE, **self._voice.now()))
            return
        self._transcript.write("note", f"process {identity.pid} was attached")
        self._transcript.write("in", self._order.opening)
        await self._voice.ask(ConfirmStart(node=self._node, **self._voice.now()))
        ended = await self._or_over(asyncio.ensure_future(self._guest.wait_exit()))
        if ended is not None:
            self._voice.tell(self._ending(identity, ended))

    async def prompt(self, message_id: str | None, text: str) -> bool:
        """Wait for the end: what it is told it reads with the answers of our tools, or not at all.

        Why wait: the message stays in its mailbox as long as it may still be read there.
        """
        del text
        if message_id is not None:
            await self._over.wait()
        return False

    def wake(self) -> None:
        """It hears of its mail by its own calls."""

    async def stop(self, *, hurry: bool = False) -> Stopped:
        """Ask the process to leave where that is allowed, and say what is left."""
        self._over.set()
        if hurry:
            self._hurry.set()
        async with self._leaving:
            if self._stopped is None:
                self._stopped = await self._leave()
                self._transcript.close()
            return self._stopped

    async def _attached(self) -> Identity | None:
        """Wait for the process; none when the node is over before one came."""
        if self._over.is_set():
            return None
        known = asyncio.ensure_future(self._voice.until(self._is_decided))
        await self._or_over(known)
        node = self._known()
        waits = node is not None and node.is_live and not self._over.is_set()
        return node.identity if node is not None and waits else None

    def _is_decided(self, tree: Tree) -> bool:
        node = tree.nodes.get(self._node)
        return node is None or not node.is_live or node.identity is not None

    def _known(self) -> Node | None:
        return self._voice.tree.nodes.get(self._node)

    async def _or_over(self, work: "asyncio.Future[Exit] | asyncio.Future[None]") -> Exit | None:
        """Wait for something, or for the end of this child."""
        over = asyncio.ensure_future(self._over.wait())
        try:
            await asyncio.wait((work, over), return_when=asyncio.FIRST_COMPLETED)
            return work.result() if work.done() else None
        finally:
            for task in (work, over):
                task.cancel()
            await asyncio.wait((work, over))

    async def _leave(self) -> Stopped:
        node = self._known()
        identity = node.identity if node is not None else None
        if identity is None:
            return Stopped()
        guest = self._guest or self._guests.watch(identity)
        if guest is not None and self._order.profile.may_stop:
            guest.ask_to_leave()
            await self._gone_or_late(guest)
        left = self._guests.left(identity)
        if left:
            _tell_when_empty(self._guests, identity, self._node, self._voice)
        if guest is not None:
            guest.close()
        return Stopped(leftovers=left)

    async def _gone_or_late(self, guest: Guest) -> None:
        """Wait until the process has left, its grace is over, or nothing is waited for."""
        waits = (
            asyncio.ensure_future(guest.wait_exit()),
            asyncio.ensure_future(self._hurry.wait()),
        )
        try:
            await asyncio.wait(waits, timeout=self._grace_s, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for wait in waits:
                wait.cancel()
            await asyncio.wait(waits)

    def _ending(self, identity: Identity, ended: Exit) -> EndChild:
        ending = ending_of_exit(ended, "")
        return EndChild(
            node=self._node,
            outcome=Outcome.FAILED,
            stop_reason=ending.stop_reason,
            reason=ending.reason,
            promotes=ending.promotes,
            diagnostic=f"process {identity.pid}, which was attached: {ending.words}",
            **self._voice.now(),
        )


def watch_left(guests: Guests | None, tree: Tree, voice: Voice) -> None:
    """Go on watching what an earlier life of the daemon left, and release it when it has gone."""
    for node_id in sorted(tree.nodes):
        node = tree.nodes[node_id]
        identity = node.identity
        if guests is None or identity is None or identity.container != ATTACHED:
            continue
        if node.leftovers:
            _tell_when_empty(guests, identity, node_id, voice)


def _tell_when_empty(guests: Guests, identity: Identity, node_id: NodeId, voice: Voice) -> None:
    def tell() -> None:
        voice.tell(ConfirmGone(node=node_id, watched=True, **voice.now()))

    guests.when_empty(identity, tell)
