"""The `scripted` runner: a deterministic agent that plays a file. For tests, benches and tours.

It says that it is scripted: its nodes name their agent, and its agent's profile names this runner.
What a file may hold stands in `script`.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from types import MappingProxyType
from typing import Any, Final

from subsessiond.adapters.runners.childwords import (
    CheckSchema,
    checkpoint_command,
    report_command,
    schema_of,
    spawn_command,
)
from subsessiond.adapters.runners.ownership import owned_file
from subsessiond.adapters.runners.prompts import Prompts
from subsessiond.adapters.runners.script import Ending, Sign, Step, Written, read_script
from subsessiond.model.commands import (
    Acknowledge,
    Caller,
    ConfirmStart,
    EndChild,
    EndTurn,
    MarkDelivered,
    NoteSign,
)
from subsessiond.model.decision import Reply
from subsessiond.model.ids import MessageId
from subsessiond.model.message import Message, Source
from subsessiond.model.process import Stopped
from subsessiond.model.rejection import Rejection
from subsessiond.model.tree import Tree
from subsessiond.ports import ChildOrder, IdSource, RunnerFault, Voice, Workspace


class ScriptedRunner:
    """Plays scripts inside the daemon."""

    def __init__(self, ids: IdSource, workspace: Workspace, check_schema: CheckSchema) -> None:
        self._ids = ids
        self._workspace = workspace
        self._check_schema = check_schema

    def start(self, order: ChildOrder, voice: Voice) -> "ScriptedChild":
        """Make a child ready.

        Raises:
            RunnerFault: the script cannot be read.
        """
        steps = read_script(order)
        return ScriptedChild(steps, order, voice, self._ids, self._workspace, self._check_schema)


class ScriptedChild:
    """One script under way."""

    def __init__(
        self,
        steps: tuple[Step, ...],
        order: ChildOrder,
        voice: Voice,
        ids: IdSource,
        workspace: Workspace,
        check_schema: CheckSchema,
    ) -> None:
        self._steps = steps
        self._node = order.node
        self._voice = voice
        self._ids = ids
        self._workspace = workspace
        self._check_schema = check_schema
        self._caller = Caller(node_id=order.node.node_id, why="the scripted agent itself")
        self._prompts = Prompts(self._tell_read)
        self._playing: asyncio.Task[None] | None = None
        self._stopped = False
        self.answers: list[Reply | Rejection | None] = []
        """What the registry answered to each of its calls."""

    async def run(self) -> None:
        """Play every step, then end the turn like an agent that has nothing more to say."""
        if self._stopped:
            return
        self._playing = asyncio.ensure_future(self._play())
        try:
            await asyncio.wait((self._playing,))
            if not self._playing.cancelled():
                self._playing.result()
        finally:
            await self._end_playing()

    async def prompt(self, message_id: str | None, text: str) -> bool:
        """Hear something; it is read by a step that waits for it, or at the end of a turn."""
        del text
        return await self._prompts.say(message_id) and message_id is not None

    def _tell_read(self, message_id: str) -> None:
        """Say that a message was read, before anything that comes of it.

        Why not by the answer of `prompt` alone: the turn may be over before that is heard, and a
        node that was handed something after its turn's end would no longer count as waiting.
        """
        ids = (MessageId(message_id),)
        now = self._voice.now()
        self._voice.tell(
            MarkDelivered(node=self._node.node_id, message_ids=ids, read=True, **now),
        )

    def wake(self) -> None:
        """Mail waits."""
        self._prompts.nudge()

    async def stop(self, *, hurry: bool = False) -> Stopped:
        """Stop playing."""
        del hurry  # a script is gone at once anyway
        self._stopped = True
        await self._end_playing()
        return Stopped()

    async def _end_playing(self) -> None:
        if self._playing is not None:
            self._playing.cancel()
            await asyncio.wait((self._playing,))
        self._prompts.close()

    async def _play(self) -> None:
        await self._voice.ask(ConfirmStart(node=self._node.node_id, **self._voice.now()))
        for step in self._steps:
            if await _VERBS[step.verb](self, step.value):
                return
        while not await self.play_end_turn(None):
            pass  # until the daemon settles this child

    async def play_report(self, value: dict[str, Any]) -> bool:
        """Report."""
        command = report_command(value, self._node, self._caller, self._voice)
        schema = schema_of(self._node, command.report)
        if schema is not None:
            fault = await asyncio.to_thread(self._check_schema, schema.schema, schema.value)
            command = schema.judged(command, fault)
        self.answers.append(await self._voice.submit(command))
        return False

    async def play_checkpoint(self, value: dict[str, Any]) -> bool:
        """Save a checkpoint."""
        command = checkpoint_command(value, self._node, self._caller, self._voice)
        self.answers.append(await self._voice.submit(command))
        return False

    async def play_spawn(self, value: dict[str, Any]) -> bool:
        """Start a child of its own."""
        command = await spawn_command(
            value, self._node, self._caller, self._voice, self._ids, self._workspace
        )
        self.answers.append(await self._voice.submit(command))
        return False

    async def play_wait_mail(self, value: int) -> bool:
        """Wait for so many messages, then acknowledge all.

        Quiet ones count: they wake nobody, and this step is awake, as a call of `inbox` is.
        """
        await self._voice.until(lambda tree: len(self._unread(tree)) >= value)
        command = Acknowledge(
            caller=self._caller,
            node=self._node.node_id,
            message_ids=tuple(message.message_id for message in self._unread(self._voice.tree)),
            **self._voice.now(),
        )
        self.answers.append(await self._voice.submit(command))
        return False

    def _unread(self, tree: Tree) -> tuple[Message, ...]:
        """Give its mail; what is said to it comes as a prompt."""
        box = tree.mail.get(self._node.node_id, ())
        return tuple(message for message in box if message.source is not Source.STEER)

    async def play_await_prompt(self, _: object) -> bool:
        """Wait until somebody says something."""
        await self._prompts.read()
        return False

    async def play_write(self, value: Written) -> bool:
        """Write a file that the node owns."""
        path = owned_file(self._node, value.path)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(value.text, "utf-8")
        return False

    async def play_pause(self, value: int) -> bool:
        """Do nothing for a while."""
        await asyncio.sleep(value / 1_000)
        return False

    async def play_sign(self, value: Sign) -> bool:
        """Give a sign of life."""
        now, node = self._voice.now(), self._node.node_id
        self._voice.tell(NoteSign(node=node, sign=value.sign, phase=value.phase, **now))
        return False

    async def play_end_turn(self, _: object) -> bool:
        """End the turn; the next begins with what is said next. After the final there is none."""
        if not self._is_live():
            return True
        # Why: mail that woke it within the turn may be read by now. For what is not, the end of the
        # turn wakes it again.
        self._prompts.unnudge()
        self._voice.tell(EndTurn(node=self._node.node_id, **self._voice.now()))
        if await self._prompts.next_turn():
            ids = tuple(message.message_id for message in self._unread(self._voice.tree))
            delivered = MarkDelivered(node=self._node.node_id, message_ids=ids, **self._voice.now())
            self._voice.tell(delivered)
        return False

    def _is_live(self) -> bool:
        node = self._voice.tree.nodes.get(self._node.node_id)
        return node is not None and node.is_live

    async def play_end(self, value: Ending) -> bool:
        """End the run."""
        self._voice.tell(
            EndChild(
                node=self._node.node_id,
                outcome=value.outcome,
                stop_reason=value.stop_reason,
                reason=value.reason,
                diagnostic=value.diagnostic,
                **self._voice.now(),
            ),
        )
        return True

    async def play_raise(self, value: str) -> bool:
        """Fail, as a broken runner does."""
        raise RunnerFault(value)


_Play = Callable[[ScriptedChild, Any], Awaitable[bool]]
_VERBS: Final[Mapping[str, _Play]] = MappingProxyType(
    {
        "report": ScriptedChild.play_report,
        "checkpoint": ScriptedChild.play_checkpoint,
        "spawn": ScriptedChild.play_spawn,
        "waitMail": ScriptedChild.play_wait_mail,
        "awaitPrompt": ScriptedChild.play_await_prompt,
        "write": ScriptedChild.play_write,
        "pauseMs": ScriptedChild.play_pause,
        "sign": ScriptedChild.play_sign,
        "endTurn": ScriptedChild.play_end_turn,
        "end": ScriptedChild.play_end,
        "raise": ScriptedChild.play_raise,
    },
)
"""Each step tells whether the run is over."""
