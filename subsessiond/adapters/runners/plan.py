"""The `plan` runner: hires the steps of a plan as they may begin, and reports once, in the end.

It is no agent and asks no model. What it knows of its steps it reads from the tree, so one that
continues another goes on where that was stopped, and no step that was completed is begun again.
"""

import asyncio
from typing import Final

import orjson
from msgspec.structs import replace

from subsessiond.adapters.runners.childwords import (
    Hire,
    checkpoint_command,
    hire_command,
    report_command,
)
from subsessiond.core.plan.check import grave_faults_of
from subsessiond.core.plan.course import (
    KEY,
    Became,
    Course,
    became,
    course_of,
    finals,
    is_over,
    mission_of,
    ready,
)
from subsessiond.core.succession import heir_parent_of
from subsessiond.model.brief import Brief, FieldFault
from subsessiond.model.commands import Acknowledge, Caller, ConfirmStart, EndTurn, NoteSign
from subsessiond.model.node import Node, Phase
from subsessiond.model.plan import Plan, PlanStep
from subsessiond.model.process import Stopped
from subsessiond.model.rejection import Code, Rejection
from subsessiond.model.tree import Tree
from subsessiond.ports import ChildOrder, IdSource, RunnerFault, Voice, Workspace
from subsessiond.wire.plan import parse_plan

RETRY_S: Final = 1.0
"""How often a step is tried that a limit has turned away, where nothing of the plan moves."""

LATER: Final = frozenset({Code.CHILDREN_LIVE, Code.BUSY, Code.STORE_UNAVAILABLE})
"""Why a report is sent again: children that a person has added are at work, or the disk is full."""

SIGN_S: Final = 30.0
"""How often it says that it lives while it waits for steps that are not, or no more, below it."""

PATIENCE_MS: Final = 300_000
"""How long, in awake time, a step is tried while nothing of the plan is at work."""


class PlanRunner:
    """Drives plans inside the daemon."""

    def __init__(self, ids: IdSource, workspace: Workspace) -> None:
        self._ids = ids
        self._workspace = workspace

    def start(self, order: ChildOrder, voice: Voice) -> "PlanChild":
        """Make a child ready.

        Raises:
            RunnerFault: its mission is no plan.
        """
        mission = order.node.brief.mission if order.node.brief is not None else ""
        try:
            found = parse_plan(orjson.loads(mission), voice.policy.limits)
        except orjson.JSONDecodeError as fault:
            raise RunnerFault("the mission is no plan: it is not JSON") from fault
        # Why looked at again: a spawn or a successor may bring a plan that nobody has checked.
        faults = found if isinstance(found, tuple) else grave_faults_of(found, voice.policy)
        if isinstance(found, tuple) or faults:
            raise RunnerFault(f"the mission is no plan: {_first(faults)}")
        return PlanChild(found, order.node, voice, self._ids, self._workspace)


def _first(faults: tuple[FieldFault, ...]) -> str:
    return f"{faults[0].path} {faults[0].problem}".strip()


class PlanChild:
    """One plan under way."""

    def __init__(
        self, plan: Plan, node: Node, voice: Voice, ids: IdSource, workspace: Workspace
    ) -> None:
        self._plan = plan
        self._node = node
        self._voice = voice
        self._ids = ids
        self._workspace = workspace
        self._caller = Caller(node_id=node.node_id, why="the plan itself")
        self._refused: dict[str, Rejection] = {}
        self._since: dict[str, int] = {}
        """Of steps that a limit turned away: awake clock at the first time."""
        self._told = -1
        """How many steps were over when the last checkpoint was saved."""
        self._driving: asyncio.Task[None] | None = None
        self._stopped = False

    async def run(self) -> None:
        """Drive the plan to its end."""
        if self._stopped:
            return
        self._driving = asyncio.ensure_future(self._drive())
        try:
            await asyncio.wait((self._driving,))
            if not self._driving.cancelled():
                self._driving.result()
        finally:
            await self._end_driving()

    async def prompt(self, message_id: str | None, text: str) -> bool:
        """Hear nothing: it does what stands in the plan."""
        del message_id, text
        return False

    def wake(self) -> None:
        """Mail waits; it is put aside with the next look at the tree."""

    async def stop(self, *, hurry: bool = False) -> Stopped:
        """Stop; its steps are ended by the daemon, with it."""
        del hurry
        self._stopped = True
        await self._end_driving()
        return Stopped()

    async def _end_driving(self) -> None:
        if self._driving is not None:
            self._driving.cancel()
            await asyncio.wait((self._driving,))

    async def _drive(self) -> None:
        await self._voice.ask(ConfirmStart(node=self._node.node_id, **self._voice.now()))
        while self._is_live():
            # Before anything is done: what moves meanwhile is looked at in the next round.
            seen = self._state(self._voice.tree)
            course = self._course()
            if is_over(course) and await self._is_reported(course):
                return
            for name in ready(course):
                await self._hire(course, name)
            await self._save(self._course())
            await self._wait(seen)

    def _is_live(self) -> bool:
        node = self._voice.tree.nodes.get(self._node.node_id)
        return node is not None and node.is_live

    def _course(self) -> Course:
        tree = self._voice.tree
        node = tree.nodes.get(self._node.node_id, self._node)
        return course_of(self._plan, tree, node, self._refused)

    def _state(self, tree: Tree) -> tuple[object, ...]:
        """Give what it depends on: whether it lives, whom it could not hire, how steps stand."""
        node = tree.nodes.get(self._node.node_id, self._node)
        course = course_of(self._plan, tree, node, self._refused)
        steps = sorted(
            (name, one.node_id, one.status, bool(one.leftovers))
            for name, one in course.children.items()
        )
        below = tree.live_below.get(node.node_id, 0)
        return (node.is_live, len(self._refused), below, *steps)

    async def _hire(self, course: Course, name: str) -> None:
        step = next(step for step in self._plan.steps if step.name == name)
        brief = self._brief_of(course, step)
        hire = Hire(step.role, brief, KEY + name)
        command = await hire_command(
            hire, self._node, self._caller, self._voice, self._ids, self._workspace
        )
        answer = await self._voice.submit(command)
        if not isinstance(answer, Rejection):
            self._since.pop(name, None)
        elif not answer.retryable or self._is_out_of_patience(course, name):
            self._refused[name] = answer

    def _brief_of(self, course: Course, step: PlanStep) -> Brief:
        before = course.children.get(step.name)
        continues = before is not None and self._may_continue(before)
        return replace(
            step.brief,
            mission=mission_of(course, step.name, self._node.letter),
            title=step.brief.title or step.name,
            continues=before.node_id if continues and before is not None else None,
        )

    def _may_continue(self, before: Node) -> bool:
        """Tell whether a child has no heir, and one of it would live here and not elsewhere."""
        if before.successor is not None or before.is_live:
            return False
        above = heir_parent_of(self._voice.tree, before)
        return above is not None and above.node_id == self._node.node_id

    def _is_out_of_patience(self, course: Course, name: str) -> bool:
        now = self._voice.now()["awake_ms"]
        if any(one is Became.LIVE for one in became(course).values()):
            self._since.pop(name, None)
            return False
        return now - self._since.setdefault(name, now) > PATIENCE_MS

    async def _save(self, course: Course) -> None:
        """Write down how far it is, for people and for whoever reads the journal."""
        found = became(course)
        over = [name for name, one in found.items() if one not in (Became.LIVE, Became.OPEN)]
        if len(over) == self._told:
            return
        self._told = len(over)
        live = [name for name, one in found.items() if one is Became.LIVE]
        record = {
            "phase": f"{len(over)} of {len(found)} steps are over",
            "state": "\n".join(f"{name}: {one}" for name, one in found.items()),
            "nextStep": f"at work: {', '.join(live) or 'nothing'}",
        }
        command = checkpoint_command(record, self._node, self._caller, self._voice)
        await self._voice.submit(command)

    async def _wait(self, seen: tuple[object, ...]) -> None:
        """Put mail aside and wait until a step moves, or a limit may have moved."""
        await self._put_aside()
        course = self._course()
        if self._voice.tree.live_below.get(self._node.node_id):
            # Only then: a node that ends its turn with nothing below is asked for its final.
            self._voice.tell(EndTurn(node=self._node.node_id, **self._voice.now()))
            patience = None
        else:
            # Steps that go on elsewhere, as heirs under others, or that are being ended.
            self._say_it_waits()
            patience = SIGN_S
        try:
            async with asyncio.timeout(RETRY_S if ready(course) or is_over(course) else patience):
                await self._voice.until(lambda tree: self._state(tree) != seen)
        except TimeoutError:
            return

    def _say_it_waits(self) -> None:
        node, stamps = self._node.node_id, self._voice.now()
        self._voice.tell(NoteSign(node=node, sign="waits", phase=Phase.WAITING, **stamps))

    async def _put_aside(self) -> None:
        """Say that what its steps reported was read: it stands in their records."""
        box = self._voice.tree.mail.get(self._node.node_id, ())
        if box:
            ids = tuple(message.message_id for message in box)
            command = Acknowledge(
                caller=self._caller, node=self._node.node_id, message_ids=ids, **self._voice.now()
            )
            await self._voice.submit(command)

    async def _is_reported(self, course: Course) -> bool:
        """Send the fullest final that fits its contract; false where it has to be sent later.

        Raises:
            RunnerFault: none will ever be taken: better told than left without an end.
        """
        await self._put_aside()
        refused = ""
        for report in finals(course):
            command = report_command(report, self._node, self._caller, self._voice)
            answer = await self._voice.submit(command)
            if not isinstance(answer, Rejection) or not self._is_live():
                return True
            if answer.code in LATER:
                return False
            refused = answer.code.name
            if answer.code is not Code.REPORT_TOO_LARGE:
                break
        raise RunnerFault(f"its report was refused: {refused}")
