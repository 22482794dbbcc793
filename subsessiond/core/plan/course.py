"""What has become of the steps of a plan, which may begin, and what the parent is told.

All of it is read from the tree: the steps of a plan are the children of its node, and of those that
the node continues. So a successor goes on where its predecessor was stopped, whatever stopped it.
"""

from collections.abc import Iterator, Mapping
from enum import StrEnum
from typing import Any, Final, NamedTuple

from subsessiond.core.bounds import cut_bytes
from subsessiond.core.plan.fields import fill
from subsessiond.core.plan.graph import needs_of
from subsessiond.core.words.plans import (
    plan_head,
    plan_line,
    plan_outputs,
    step_answered,
    steps_blocked,
)
from subsessiond.model.node import Node, Status
from subsessiond.model.plan import Plan
from subsessiond.model.rejection import Rejection
from subsessiond.model.report import Outcome
from subsessiond.model.tree import Tree

ANSWER: Final = "operator answer:"
"""How a letter names what the operator has answered."""


KEY: Final = "step/"
"""Before the name of a step, as the key under which it is hired: callers' keys hold no slash, so
that nobody else's child is taken for a step.
"""


BLOCKERS_MOST: Final = 64
"""As many as a report may hold."""
FIRST_BYTES: Final = 120
"""Of a step's first blocker, where not all of them fit into the report."""


class Became(StrEnum):
    """What became of a step, in the order in which it is told."""

    COMPLETED = "completed"
    BLOCKED = "blocked"
    FAILED = "failed"
    REFUSED = "refused"
    SKIPPED = "not begun"
    LIVE = "live"
    OPEN = "open"


class Course(NamedTuple):
    """A plan under way, as the tree has it."""

    plan: Plan
    children: Mapping[str, Node]
    """The newest child of each step that was ever begun."""
    own: frozenset[str]
    """Steps that were begun by this node itself, not by one that it continues."""
    refused: Mapping[str, Rejection]
    """Steps that no child could be hired for."""


def course_of(plan: Plan, tree: Tree, node: Node, refused: Mapping[str, Rejection]) -> Course:
    """Look a plan's steps up."""
    names = {KEY + step.name: step.name for step in plan.steps}
    children: dict[str, Node] = {}
    own: set[str] = set()
    for one in reversed(tuple(_line_of(tree, node))):
        for child in tree.children.get(one.node_id, ()):
            found = tree.nodes[child]
            if name := names.get(found.key or ""):
                children[name] = _newest(tree, found)
                if one is node:
                    own.add(name)
    return Course(plan, children, frozenset(own), refused)


def _line_of(tree: Tree, node: Node) -> Iterator[Node]:
    """Give a node and all that it continues, the newest first."""
    found: Node | None = node
    while found is not None:
        yield found
        found = tree.nodes.get(found.predecessor) if found.predecessor is not None else None


def _newest(tree: Tree, child: Node) -> Node:
    """Follow a child to whoever continues it: a person may have seen to it meanwhile."""
    while child.successor is not None and child.successor in tree.nodes:
        child = tree.nodes[child.successor]
    return child


def became(course: Course) -> dict[str, Became]:
    """Tell of every step what became of it so far."""
    needs = needs_of(course.plan)
    found = {step.name: _of_child(course, step.name) for step in course.plan.steps}
    bad = {Became.BLOCKED, Became.FAILED, Became.REFUSED, Became.SKIPPED}
    changed = True
    while changed:
        changed = False
        for name, so_far in found.items():
            if so_far is Became.OPEN and any(found[one] in bad for one in needs[name]):
                found[name] = Became.SKIPPED
                changed = True
    return found


def _of_child(course: Course, name: str) -> Became:
    child = course.children.get(name)
    outcome = child.settlement.outcome if child is not None and child.settlement else None
    if outcome is Outcome.COMPLETED:
        return Became.COMPLETED
    if child is not None and child.is_live:
        return Became.LIVE
    if name in course.refused:
        return Became.REFUSED
    if child is None or name not in course.own:
        return Became.OPEN  # what an earlier node of the line did not complete is begun anew
    return Became.BLOCKED if outcome is Outcome.BLOCKED else Became.FAILED


def ready(course: Course) -> tuple[str, ...]:
    """Name the steps that may begin now, in the order of the plan."""
    found, needs = became(course), needs_of(course.plan)
    return tuple(
        step.name
        for step in course.plan.steps
        if found[step.name] is Became.OPEN
        and all(_is_over(course, found, one) for one in needs[step.name])
    )


def _is_over(course: Course, found: Mapping[str, Became], name: str) -> bool:
    """Tell whether a step is completed, and has let go of its files as far as it ever will."""
    if found[name] is not Became.COMPLETED:
        return False
    child = course.children[name]
    return child.status is Status.RELEASED or bool(child.leftovers)


def is_over(course: Course) -> bool:
    """Tell whether nothing is under way and nothing more can begin."""
    found = became(course)
    waits = {Became.LIVE, Became.OPEN}
    return not any(one in waits for one in found.values())


def mission_of(course: Course, name: str, letter: str) -> str:
    """Give what a step is told: its mission, filled in, and an answer that was meant for it."""
    step = next(step for step in course.plan.steps if step.name == name)
    said = {key: child.settlement for key, child in course.children.items() if child.settlement}
    told = fill(step.brief.mission, said)
    before = course.children.get(name)
    was_blocked = (
        before is not None
        and before.settlement is not None
        and before.settlement.outcome is Outcome.BLOCKED
    )
    at = letter.find(ANSWER)
    return step_answered(told, letter[at:]) if was_blocked and at >= 0 else told


def finals(course: Course) -> Iterator[dict[str, Any]]:
    """Give reports of how a plan ended, the fullest first: one that fits is sent."""
    found = became(course)
    head, lines = _summary(course, found)
    rest: dict[str, Any] = {"stage": "final", "outcome": _outcome(found)}
    files = sorted(
        {
            path
            for child in course.children.values()
            if child.settlement is not None
            for path in child.settlement.files
        }
    )
    whole = "\n".join((head, *lines))
    asked = _asked(course, found)
    outputs = dict.fromkeys((f"{whole}\n\n{asked}" if asked else whole, asked, whole, head))
    for blockers in _blockers(course, found):
        rest |= {"blockers": blockers} if blockers else {}
        for output in filter(None, outputs):
            if files:
                yield {**rest, "output": output, "files": files}
            yield {**rest, "output": output}


def _summary(course: Course, found: Mapping[str, Became]) -> tuple[str, list[str]]:
    counts = [(one, sum(b is one for b in found.values())) for one in Became]
    lines = [plan_line(name, what, _why(course, name, what)) for name, what in found.items()]
    return plan_head(counts), lines


def _why(course: Course, name: str, what: Became) -> str:
    if what is Became.REFUSED:
        return course.refused[name].code.name
    child = course.children.get(name)
    said = child.settlement if child is not None else None
    return said.reason if said is not None and what is Became.FAILED else ""


def _outcome(found: Mapping[str, Became]) -> Outcome:
    if all(one is Became.COMPLETED for one in found.values()):
        return Outcome.COMPLETED
    blocked = any(one is Became.BLOCKED for one in found.values())
    return Outcome.BLOCKED if blocked else Outcome.FAILED


def _blockers(course: Course, found: Mapping[str, Became]) -> Iterator[list[str]]:
    """Give what blocks a plan: all that its steps said, one of each, their names, their number.

    Why ever less: a plan that cannot say by what it is blocked would not come to its end.
    """
    said = {
        name: child.blockers
        for name, what in found.items()
        if what is Became.BLOCKED and (child := course.children[name].settlement) is not None
    }
    every = [f"{name}: {one}" for name, blockers in said.items() for one in blockers]
    yield every[:BLOCKERS_MOST]
    if every:
        yield [f"{name}: {cut_bytes(blockers[0], FIRST_BYTES)}" for name, blockers in said.items()]
        yield [", ".join(said)]
        yield [steps_blocked(len(said))]


def _asked(course: Course, found: Mapping[str, Became]) -> str:
    """Give what the plan asked to be told; else what its last steps reported."""
    said = {key: child.settlement for key, child in course.children.items() if child.settlement}
    if course.plan.report is not None:
        return fill(course.plan.report, said)
    waited_for = frozenset().union(*needs_of(course.plan).values())
    return plan_outputs(
        (name, said[name].output)
        for name, what in found.items()
        if what is Became.COMPLETED and name not in waited_for
    )
