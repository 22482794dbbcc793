"""The order of a report's checks: by name, and in pairs that fail both."""

from itertools import combinations
from typing import Any, Final, NamedTuple

import pytest
from msgspec.structs import replace

from subsessiond.core import report as pipeline
from subsessiond.core.decide import decide
from subsessiond.model.brief import FieldFault
from subsessiond.model.commands import Caller, SubmitReport
from subsessiond.model.decision import Accepted
from subsessiond.model.ids import MessageId
from subsessiond.model.node import Receipt, Status
from subsessiond.model.rejection import Code, Rejection
from subsessiond.model.report import MalformedReport, Outcome, Report, Stage
from tests.support.moves import open_root, spawn
from tests.support.playbook import Play, play
from tests.support.world import started

FINAL: Final = Report(
    stage=Stage.FINAL, output="Done.", outcome=Outcome.COMPLETED, sections={"risks": "none"}
)
SHAPELESS: Final = MalformedReport(
    size_bytes=10, faults=(FieldFault(path="output", problem="is missing"),)
)
AGAIN: Final = "again"
"""Stands for the first receipt, given again."""


class Spoiler(NamedTuple):
    """What makes one step answer and no other."""

    name: str
    answer: Code | str
    command: dict[str, Any]
    """Fields of the command that differ."""
    node: dict[str, Any]
    """Fields of the node's record that differ, also from what any event could make of it."""


SPOILERS: Final = (
    Spoiler("caller", Code.NOT_ALLOWED, {"caller": Caller()}, {}),
    Spoiler("size", Code.REPORT_TOO_LARGE, {"size_bytes": 10**9}, {}),
    Spoiler("shape", Code.REPORT_INVALID, {"report": SHAPELESS}, {}),
    Spoiler("sections", Code.REPORT_CONTRACT, {}, {"required_sections": ("risks", "tests")}),
    Spoiler("schema", Code.OUTPUT_SCHEMA, {"schema_fault": "$ is no object"}, {}),
    Spoiler(
        "repeat",
        AGAIN,
        {},
        {"receipts": (Receipt(message_id=MessageId("x.1"), fingerprint="f", is_final=True),)},
    ),
    Spoiler("live", Code.NODE_SETTLED, {}, {"status": Status.SETTLED}),
    Spoiler("children", Code.CHILDREN_LIVE, {}, {}),
)
"""One for each step, in the pinned order."""

WITH_CHILDREN: Final = SPOILERS[-1]

APART: Final = frozenset(("shape", other) for other in ("sections", "schema", "repeat", "children"))
"""Pairs that no input fails both of: what has no shape has neither parts nor an outcome."""

PAIRS: Final = tuple(
    pair for pair in combinations(SPOILERS, 2) if (pair[0].name, pair[1].name) not in APART
)


def stage(*, with_child: bool) -> Play:
    """Begin with a lead, with a live child or without."""
    now = play() >> open_root() >> spawn("lead", role="lead") >> started("lead")
    return now >> spawn("child", under="lead") if with_child else now


def verdict(*spoilers: Spoiler) -> Code | str | None:
    """Decide a final that is spoiled in these ways; none is a first acceptance."""
    now = stage(with_child=WITH_CHILDREN in spoilers)
    node = now.node("lead")
    command = SubmitReport(
        at_ms=now.at_ms,
        awake_ms=now.awake_ms,
        caller=Caller(node_id=node.node_id),
        node=node.node_id,
        report=FINAL,
        fingerprint="f",
        size_bytes=100,
    )
    for spoiler in spoilers:
        node = replace(node, **spoiler.node)
        command = replace(command, **spoiler.command)
    tree = replace(now.tree, nodes=now.tree.nodes.set(node.node_id, node))
    reply = decide(tree, now.policy, command).reply
    if isinstance(reply, Rejection):
        return reply.code
    assert isinstance(reply, Accepted)
    return AGAIN if reply.already else None


def test_the_order_of_the_checks_is_pinned() -> None:
    """By name: size, shape, sections, schema."""
    assert [check.__name__ for check in pipeline.CHECKS] == [
        "check_size",
        "check_shape",
        "check_sections",
        "check_output_schema",
    ]


def test_an_unspoiled_final_is_accepted() -> None:
    """Otherwise the pairs would show nothing."""
    assert verdict() is None


@pytest.mark.parametrize("spoiler", SPOILERS, ids=lambda spoiler: spoiler.name)
def test_each_step_answers_alone(spoiler: Spoiler) -> None:
    """With its own code, or with the first receipt."""
    assert verdict(spoiler) == spoiler.answer


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: f"{pair[0].name} {pair[1].name}")
def test_of_two_that_apply_the_earlier_one_answers(pair: tuple[Spoiler, Spoiler]) -> None:
    """For every pair of steps, whichever order the input was spoiled in."""
    earlier, later = pair
    assert verdict(earlier, later) == earlier.answer
    assert verdict(later, earlier) == earlier.answer
