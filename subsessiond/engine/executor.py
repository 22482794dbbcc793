"""The executor: carries out effects, and speaks back only in commands."""

import asyncio
from collections.abc import Callable, Coroutine, Mapping
from typing import Any

import structlog

from subsessiond.core.words import opening_text
from subsessiond.engine.journaling import Journaling
from subsessiond.engine.registry import Registry
from subsessiond.engine.tokens import Tokens
from subsessiond.model.commands import ConfirmGone, EndChild, FailStart, MarkDelivered
from subsessiond.model.effects import (
    AnyEffect,
    AppendJournal,
    PromptChild,
    StartChild,
    StopChild,
    WakeReader,
)
from subsessiond.model.ids import NodeId
from subsessiond.model.node import Node, Status, StopReason
from subsessiond.model.process import Stopped
from subsessiond.model.report import Outcome
from subsessiond.ports import (
    ChildOrder,
    Clock,
    IdSource,
    Runner,
    RunnerFault,
    RunningChild,
    Stamps,
    Voice,
)

Environment = Callable[[Node, str, tuple[tuple[str, str], ...]], tuple[tuple[str, str], ...]]
"""Builds a child's environment from its node, its token and what its profile adds."""

log = structlog.get_logger(__name__)


class Child:
    """One child under way: its runner's half, and the task that lives it."""

    __slots__ = ("at_once", "over", "prompts", "running", "task")

    def __init__(self, running: RunningChild) -> None:
        self.running = running
        self.over = asyncio.Event()
        self.at_once = asyncio.Event()
        """Its turn may run on no longer."""
        self.prompts: set[asyncio.Task[None]] = set()
        """What was said to it and is not read yet."""
        self.task: asyncio.Task[None] | None = None


class Executor:
    """Holds every running child; one asyncio task a child, and one more while it is stopped."""

    def __init__(
        self,
        runners: Mapping[str, Runner],
        clock: Clock,
        ids: IdSource,
        tokens: Tokens,
        environment: Environment,
    ) -> None:
        self._runners = runners
        self._clock = clock
        self._ids = ids
        self._tokens = tokens
        self._environment = environment
        self._children: dict[NodeId, Child] = {}
        self._stopping: set[NodeId] = set()
        self._under_way: set[asyncio.Task[None]] = set()
        self._hurry = asyncio.Event()

    def bind(
        self,
        registry: Registry,
        journaling: Journaling,
        voice: Voice,
        tasks: asyncio.TaskGroup,
    ) -> None:
        """Connect to the rest of the engine, which is built around it."""
        self._registry = registry
        self._journaling = journaling
        self._voice = voice
        self._tasks = tasks

    def perform(self, effect: AnyEffect) -> None:
        """Begin what an effect asks for; never blocks and never raises for a child's fault."""
        match effect:
            case AppendJournal():
                self._journaling.add(effect)
            case StartChild():
                self._start(effect.node)
            case StopChild():
                self._stop(effect.node, effect.after_ms)
            case PromptChild():
                self._prompt(effect)
            case WakeReader():
                self._wake(effect.node)

    def hurry(self) -> None:
        """Let no stop wait any longer for a turn to run on."""
        self._hurry.set()

    def kill(self) -> None:
        """Stop every child again, at once: no grace is waited for any more."""
        self._hurry.set()
        for node_id, child in tuple(self._children.items()):
            self._begin(self._kill(node_id, child), f"kill {node_id}")

    def abandon(self) -> None:
        """Wait for no child any more; what is left is ended by the next start."""
        for task in tuple(self._under_way):
            task.cancel()

    @property
    def live(self) -> int:
        """How many children have a task."""
        return len(self._children)

    def _start(self, node_id: NodeId) -> None:
        node = self._registry.tree.nodes[node_id]
        if node.status is not Status.CLAIMED or node_id in self._children:
            return
        token = self._ids.token()
        self._tokens.give(node_id, token)
        try:
            running = self._running(node, token)
        except RunnerFault as fault:
            self._fail_start(node_id, str(fault))
            return
        except Exception as error:  # a runner's bug is one child's end, not the daemon's
            log.exception("runner failed before the start", node=node_id)
            self._fail_start(node_id, f"its runner failed: {type(error).__name__}")
            return
        child = Child(running)
        self._children[node_id] = child
        child.task = self._begin(self._live(node_id, child), f"child {node_id}")

    def _begin(self, work: Coroutine[Any, Any, None], name: str) -> asyncio.Task[None]:
        task = self._tasks.create_task(work, name=name)
        self._under_way.add(task)
        task.add_done_callback(self._under_way.discard)
        return task

    def _fail_start(self, node_id: NodeId, why: str) -> None:
        self._voice.tell(FailStart(node=node_id, why=why, **self._now()))

    def _running(self, node: Node, token: str) -> RunningChild:
        runner = self._runners.get(node.runner)
        profile = next((a for a in self._registry.policy.agents if a.name == node.agent), None)
        if runner is None or profile is None:
            message = f"agent {node.agent} with runner {node.runner} is not configured any more"
            raise RunnerFault(message)
        order = ChildOrder(
            node=node,
            profile=profile,
            opening=opening_text(node, profile.channel),
            env=self._environment(node, token, profile.env),
            token=token,
        )
        return runner.start(order, self._voice)

    async def _live(self, node_id: NodeId, child: Child) -> None:
        """Live one child. A fault of its runner settles it and nothing else."""
        try:
            if self._registry.tree.nodes[node_id].predecessor is not None:
                await self._journaling.settle()
            await child.running.run()
        except Exception as error:  # the fault becomes the child's end
            log.exception("runner failed", node=node_id)
            self._voice.tell(self._broken(node_id, error))
        finally:
            child.over.set()

    def _broken(self, node_id: NodeId, error: Exception) -> EndChild:
        return EndChild(
            node=node_id,
            outcome=Outcome.FAILED,
            stop_reason=StopReason.ERROR,
            reason="runner-fault",
            diagnostic=f"{type(error).__name__}: {error}",
            **self._now(),
        )

    def _stop(self, node_id: NodeId, after_ms: int) -> None:
        child = self._children.get(node_id)
        if child is not None and not after_ms:
            child.at_once.set()
        if node_id in self._stopping:
            return
        if child is None:
            self._gone(node_id, Stopped())
            return
        self._stopping.add(node_id)
        self._begin(self._end(node_id, child, after_ms), f"stop {node_id}")

    async def _end(self, node_id: NodeId, child: Child, after_ms: int) -> None:
        """Let a turn run on for a while, then climb the ladder and say what is left."""
        if after_ms and not child.over.is_set():
            await self._until_over(child, after_ms / 1_000)
        stopped = await self._stopped(node_id, child, hurry=False)
        for task in (child.task, *child.prompts):
            if task is not None:
                task.cancel()
        if child.task is not None:
            await asyncio.wait((child.task,))
        self._children.pop(node_id, None)
        self._stopping.discard(node_id)
        self._gone(node_id, stopped)

    async def _kill(self, node_id: NodeId, child: Child) -> None:
        """Hurry a stop that is under way; whoever waits for that one says what came of it."""
        await self._stopped(node_id, child, hurry=True)

    async def _stopped(self, node_id: NodeId, child: Child, *, hurry: bool) -> Stopped:
        try:
            return await child.running.stop(hurry=hurry)
        except Exception as error:  # what cannot be stopped is said, not hidden
            log.exception("stopping failed", node=node_id)
            return Stopped(leftovers=(f"stopping failed: {type(error).__name__}",))

    async def _until_over(self, child: Child, seconds: float) -> None:
        waits = (
            self._tasks.create_task(child.over.wait()),
            self._tasks.create_task(self._hurry.wait()),
            self._tasks.create_task(child.at_once.wait()),
        )
        try:
            await asyncio.wait(waits, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for wait in waits:
                wait.cancel()

    def _gone(self, node_id: NodeId, stopped: Stopped) -> None:
        self._tokens.take_back(node_id)
        self._voice.tell(
            ConfirmGone(
                node=node_id,
                forced=stopped.forced,
                leftovers=stopped.leftovers,
                **self._now(),
            ),
        )

    def _prompt(self, effect: PromptChild) -> None:
        child = self._children.get(effect.node)
        if child is not None and effect.node not in self._stopping:
            saying = self._begin(self._say(effect, child), f"prompt {effect.node}")
            child.prompts.add(saying)
            saying.add_done_callback(child.prompts.discard)

    async def _say(self, effect: PromptChild, child: Child) -> None:
        try:
            read = await child.running.prompt(effect.message_id, effect.text)
        except Exception as fault:  # noqa: BLE001  # unread is unread; the child itself goes on
            log.warning("prompt was not taken", node=effect.node, fault=repr(fault))
            read = False
        if effect.message_id is not None:
            # Why also unread ones: what was handed over and not taken is nothing to wait for; its
            # sender is told when the child settles.
            ids = (effect.message_id,)
            self._registry.tell(
                MarkDelivered(node=effect.node, message_ids=ids, read=read, **self._now()),
            )

    def _wake(self, node_id: NodeId) -> None:
        """Let a running reader know of its mail; readers outside hear by their own calls."""
        child = self._children.get(node_id)
        if child is None:
            return
        try:
            child.running.wake()
        except Exception:  # its mail waits in the mailbox all the same
            log.exception("waking failed", node=node_id)

    def _now(self) -> Stamps:
        return {"at_ms": self._clock.wall_ms(), "awake_ms": self._clock.awake_ms()}
