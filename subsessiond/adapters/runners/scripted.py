"""The `scripted` runner: a deterministic agent that plays a file. For tests, benches and tours.

It says that it is scripted: its nodes name their agent, and its agent's profile names this runner.
A script is JSON, `{"steps": [...]}`; each step is an object with one of these keys:

report, checkpoint  parameters of those methods
spawn               `{"role", "brief", …}` as the method takes them, without a parent
waitMail            wait until so many messages are in the mailbox, then acknowledge them all
awaitPrompt         wait until somebody says something to it
write               `{"path", "text"}` inside the workspace
pauseMs             do nothing for so long
sign                `{"sign", "phase"}`, a sign of life that is telemetry
endTurn             end the turn without ending; the next steps are the next turn
end                 `{"outcome", "stopReason", "reason", "diagnostic"}`, end the run
raise               fail inside the runner with this text

The file is the profile's first word of `command`; without one, the mission itself is the script.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

import msgspec

from subsessiond.adapters.runners.childwords import (
    checkpoint_command,
    report_command,
    spawn_command,
)
from subsessiond.model.commands import (
    Acknowledge,
    Caller,
    ConfirmStart,
    EndChild,
    EndTurn,
    NoteSign,
)
from subsessiond.model.decision import Reply
from subsessiond.model.node import Phase, StopReason
from subsessiond.model.process import Stopped
from subsessiond.model.rejection import Rejection
from subsessiond.model.report import Outcome
from subsessiond.ports import ChildOrder, IdSource, RunnerFault, Voice, Workspace


class ScriptedRunner:
    """Plays scripts inside the daemon."""

    def __init__(self, ids: IdSource, workspace: Workspace) -> None:
        self._ids = ids
        self._workspace = workspace

    def start(self, order: ChildOrder, voice: Voice) -> "ScriptedChild":
        """Make a child ready.

        Raises:
            RunnerFault: the script cannot be read.
        """
        return ScriptedChild(read_script(order), order, voice, self._ids, self._workspace)


def read_script(order: ChildOrder) -> tuple[dict[str, Any], ...]:
    """Read the steps of a child.

    Raises:
        RunnerFault: no such file, or it is no script.
    """
    command = order.profile.command
    mission = order.node.brief.mission if order.node.brief else ""
    try:
        text = Path(command[0]).read_bytes() if command else mission.encode()
        steps = msgspec.json.decode(text)["steps"]
        return tuple(msgspec.convert(steps, list[dict[str, Any]]))
    except (OSError, KeyError, TypeError, msgspec.MsgspecError) as error:
        message = f"reading the script of agent {order.profile.name}: {error}"
        raise RunnerFault(message) from None


class ScriptedChild:
    """One script under way."""

    def __init__(
        self,
        steps: tuple[dict[str, Any], ...],
        order: ChildOrder,
        voice: Voice,
        ids: IdSource,
        workspace: Workspace,
    ) -> None:
        self._steps = steps
        self._node = order.node
        self._voice = voice
        self._ids = ids
        self._workspace = workspace
        self._caller = Caller(node_id=order.node.node_id, why="the scripted agent itself")
        self._mail = asyncio.Event()
        self._prompts: asyncio.Queue[str] = asyncio.Queue()
        self._playing: asyncio.Task[None] | None = None
        self._stopped = False
        self.answers: list[Reply | Rejection | None] = []

    async def run(self) -> None:
        """Play every step, then end the turn like an agent that has nothing more to say."""
        if self._stopped:
            return
        self._playing = asyncio.current_task()
        await self._voice.ask(ConfirmStart(node=self._node.node_id, **self._voice.now()))
        for step in self._steps:
            (verb, value), *more = step.items()
            if more or verb not in _VERBS:
                self._tell_end(Outcome.FAILED, "script-fault", f"no such step: {sorted(step)}")
                return
            if await _VERBS[verb](self, value):
                return
        await self._idle()

    async def _idle(self) -> None:
        """End turns until the daemon settles this child."""
        while True:
            self._voice.tell(EndTurn(node=self._node.node_id, **self._voice.now()))
            await self._prompts.get()

    async def prompt(self, message_id: str | None, text: str) -> bool:
        """Hear something; a script reads it at its next step that waits for it."""
        await self._prompts.put(text)
        return message_id is not None

    def wake(self) -> None:
        """Mail waits."""
        self._mail.set()

    async def stop(self, *, hurry: bool = False) -> Stopped:
        """Stop playing."""
        del hurry  # a script that is cancelled is gone at once
        self._stopped = True
        return Stopped()

    async def play_report(self, value: dict[str, Any]) -> bool:
        """Report."""
        command = report_command(value, self._node, self._caller, self._voice)
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
        """Wait for so many messages, then acknowledge all."""
        while len(box := self._voice.tree.mail.get(self._node.node_id, ())) < value:
            self._mail.clear()
            await self._mail.wait()
        command = Acknowledge(
            caller=self._caller,
            node=self._node.node_id,
            message_ids=tuple(message.message_id for message in box),
            **self._voice.now(),
        )
        self.answers.append(await self._voice.submit(command))
        return False

    async def play_await_prompt(self, _: object) -> bool:
        """Wait until somebody says something."""
        await self._prompts.get()
        return False

    async def play_write(self, value: dict[str, str]) -> bool:
        """Write a file below the workspace."""
        path = Path(self._node.workspace) / value["path"]
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(value["text"], "utf-8")
        return False

    async def play_pause(self, value: int) -> bool:
        """Do nothing for a while."""
        await asyncio.sleep(value / 1_000)
        return False

    async def play_sign(self, value: dict[str, str]) -> bool:
        """Give a sign of life."""
        phase = Phase(value["phase"]) if "phase" in value else None
        sign = value.get("sign", "scripted")
        now = self._voice.now()
        self._voice.tell(NoteSign(node=self._node.node_id, sign=sign, phase=phase, **now))
        return False

    async def play_end_turn(self, _: object) -> bool:
        """End the turn and wait for the next."""
        self._voice.tell(EndTurn(node=self._node.node_id, **self._voice.now()))
        await self._prompts.get()
        return False

    async def play_end(self, value: dict[str, str]) -> bool:
        """End the run."""
        outcome = Outcome(value.get("outcome", "failed"))
        reason = value.get("reason", "ended-without-final")
        stop = StopReason(value.get("stopReason", "error"))
        self._tell_end(outcome, reason, value.get("diagnostic"), stop)
        return True

    async def play_raise(self, value: str) -> bool:
        """Fail, as a broken runner does."""
        raise RunnerFault(value)

    def _tell_end(
        self,
        outcome: Outcome,
        reason: str,
        diagnostic: str | None,
        stop: StopReason = StopReason.ERROR,
    ) -> None:
        self._voice.tell(
            EndChild(
                node=self._node.node_id,
                outcome=outcome,
                stop_reason=stop,
                reason=reason,
                diagnostic=diagnostic,
                **self._voice.now(),
            ),
        )


_Step = Callable[[ScriptedChild, Any], Awaitable[bool]]
_VERBS: Final[Mapping[str, _Step]] = MappingProxyType(
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
