"""S21: a cancel stops the one that is named, and nobody names what is not below it.

In-process children and programs; headless agents have a test of their own, ACP agents join.
"""

import pytest

from tests.support.tables import tables
from tests.support.yard import Yard, refusal_of, scenario

UNTIL = 'until [ -e "go-$1" ]; do sleep 0.05; done'
NOBODY = "0" * 26


def program(yard: Yard, name: str) -> str:
    """Start a program that is mid-way until it is let go."""
    return yard.hire("sh", "-c", UNTIL, "sh", name)


def let_program_go(yard: Yard, name: str, _node: str) -> None:
    """Let a program finish."""
    (yard.workspace / f"go-{name}").touch()


def scripted(yard: Yard, _name: str) -> str:
    """Start a script that is mid-turn until somebody speaks to it."""
    final = {"output": "done", "stage": "final", "outcome": "completed"}
    return yard.script({"awaitPrompt": True}, {"report": final})


def let_script_go(yard: Yard, _name: str, node: str) -> None:
    """Let a script finish."""
    yard.call("subsession.steer", nodeId=node, text="go on")


KINDS = {"program": (program, let_program_go), "scripted": (scripted, let_script_go)}


@pytest.mark.scenario("S21")
@pytest.mark.parametrize("first", ["A", "B"])
@pytest.mark.parametrize("kind", KINDS)
def test_a_cancel_stops_the_one_that_is_named(kind: str, first: str) -> None:
    """A is cancelled, its likes B and C complete, whichever of them comes first."""
    start, let_go = KINDS[kind]
    with scenario(tables()) as yard:
        a, b = start(yard, "a"), start(yard, "b")
        if first == "B":
            let_go(yard, "b", b)
            yard.wait(b)
        answer = yard.call("subsession.cancel", nodeId=a)
        c = start(yard, "c")
        assert [n["nodeId"] for n in answer["nodes"]] == [a]
        if first == "A":
            let_go(yard, "b", b)
        let_go(yard, "c", c)
        outcomes = [yard.wait(node, "released")["outcome"] for node in (a, b, c)]
        assert outcomes == ["cancelled", "completed", "completed"]


@pytest.mark.scenario("S21")
def test_who_is_not_there_and_who_has_settled() -> None:
    """An unknown id is refused; a settled node stays as it was, and the answer says so."""
    with scenario(tables()) as yard:
        done = yard.settled()
        before = yard.row(done)
        refusal = refusal_of(yard.call, "subsession.cancel", nodeId=NOBODY)
        assert (refusal.code, refusal.retryable) == ("NOT_FOUND", False)
        answer = yard.call("subsession.cancel", nodeId=done)
        assert answer["already"] is True
        assert yard.row(done) == before


@pytest.mark.scenario("S21")
def test_nobody_cancels_what_is_not_below_it() -> None:
    """Sibling, mother, itself and another mother's child look like nodes that are not there."""
    with scenario(tables()) as yard:
        mother, other = yard.speaker("boss"), yard.speaker("boss")
        child, sibling = (yard.speaker(parent=mother.node) for _ in range(2))
        nephew = yard.speaker(parent=other.node)
        for node in (sibling.node, mother.node, child.node, nephew.node, yard.root, NOBODY):
            refusal = refusal_of(child.call, "subsession.cancel", nodeId=node)
            assert refusal.code == "NOT_FOUND"
        assert refusal_of(mother.call, "subsession.cancel", nodeId=nephew.node).code == "NOT_FOUND"
        alive = (mother, other, child, sibling, nephew)
        assert {yard.row(s.node)["state"] for s in alive} == {"running"}
        mother.call("subsession.cancel", nodeId=sibling.node)
        assert yard.row(sibling.node)["reason"] == "cancelled-by-parent"
