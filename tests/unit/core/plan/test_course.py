"""`core.plan.course`: what has become of the steps, read from the tree."""

from typing import Any

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
from subsessiond.model.plan import Plan
from subsessiond.model.rejection import Code, Rejection
from subsessiond.model.report import Report
from subsessiond.wire.report import parse_report, report_size_bytes
from tests.support.moves import blocked, final, spawn, succeed
from tests.support.plans import a_plan, step
from tests.support.playbook import Play, play
from tests.support.world import at_work, ended, gone, recover, started

PLAN = a_plan(
    a=step(),
    b=step("Go on from {{a.output}}."),
    c=step("x", "a"),
    d=step("{{b.output}}", "c"),
)


def course(now: Play, plan: Plan = PLAN, label: str = "plan", **refused: Rejection) -> Course:
    """Look the plan up that a node carries out."""
    return course_of(plan, now.tree, now.node(label), refused)


def begun() -> Play:
    """A node that carries a plan out."""
    return at_work(play(), "plan", role="lead")


def hired(now: Play, *names: str, under: str = "plan") -> Play:
    """Steps of a plan are begun; their nodes are named after them."""
    for name in names:
        now = now >> spawn(f"{under}-{name}", under=under, key=KEY + name)
        now = now >> started(f"{under}-{name}")
    return now


def report_size(report: dict[str, Any]) -> int:
    """Give how large a report is, as its parent would be shown it."""
    found = parse_report(report)
    assert isinstance(found, Report)
    return report_size_bytes(found)


def outputs(found: Course) -> list[str]:
    """Give the outputs of the reports, the fullest first."""
    return [str(report["output"]) for report in finals(found)]


def test_steps_that_wait_for_nobody_may_begin() -> None:
    """And others only when all they wait for is completed and has let go of its files."""
    now = begun()
    assert ready(course(now)) == ("a",)
    now = hired(now, "a")
    assert (ready(course(now)), became(course(now))["a"]) == ((), Became.LIVE)
    now = now >> final("plan-a", "the ground")
    assert ready(course(now)) == ()
    now = now >> gone("plan-a")
    assert ready(course(now)) == ("b", "c")
    assert mission_of(course(now), "b", "") == "Go on from the ground."


def test_what_cannot_be_proven_gone_holds_nobody_up_for_ever() -> None:
    """Whoever needs its files is refused by the claim, not by the plan."""
    now = hired(begun(), "a") >> final("plan-a") >> gone("plan-a", "pid 7")
    assert ready(course(now)) == ("b", "c")


def test_what_waits_for_one_that_failed_is_never_begun() -> None:
    """However far behind it stands; the plan is over when nothing else can begin."""
    now = hired(begun(), "a") >> final("plan-a") >> gone("plan-a")
    now = hired(now, "b", "c") >> ended("plan-b") >> final("plan-c") >> gone("plan-c")
    found = course(now)
    assert became(found) == {
        "a": Became.COMPLETED,
        "b": Became.FAILED,
        "c": Became.COMPLETED,
        "d": Became.SKIPPED,
    }
    assert is_over(found)
    report = next(finals(found))
    assert report["outcome"] == "failed"
    assert "Plan of 4 steps: 2 completed, 1 failed, 1 not begun." in report["output"]


def test_one_that_could_not_be_hired_is_told_by_its_code() -> None:
    """No child was made, and what waits for it is not begun."""
    refused = Rejection(code=Code.ROLE_UNSAFE, step="role-safe")
    found = course(begun(), a=refused)
    assert is_over(found)
    assert "- a: refused (ROLE_UNSAFE)" in outputs(found)[0]


def test_blockers_of_steps_are_the_plans_own() -> None:
    """Each with its step; a blocked plan waits for a person, whatever failed beside it."""
    plan = a_plan(a=step(), b=step())
    now = hired(begun(), "a", "b") >> blocked("plan-a", blockers=["approval: x"]) >> ended("plan-b")
    report = next(finals(course(now, plan)))
    assert (report["outcome"], report["blockers"]) == ("blocked", ["a: approval: x"])


def test_where_blockers_do_not_fit_ever_less_of_them_is_told() -> None:
    """Down to their number: a plan that is blocked can always say so."""
    plan = a_plan(a=step(), b=step())
    now = hired(begun(), "a", "b") >> blocked("plan-a", blockers=["x" * 500, "y"])
    reports = list(finals(course(now >> blocked("plan-b", blockers=["z"]), plan)))
    told = list(dict.fromkeys(tuple(report["blockers"]) for report in reports))
    assert told == [
        (f"a: {'x' * 500}", "a: y", "b: z"),
        (f"a: {'x' * 117}…", "b: z"),
        ("a, b",),
        ("2 steps",),
    ]
    assert report_size(reports[-1]) < 150


def test_more_blockers_than_a_report_holds_are_left_out() -> None:
    """Each step may have as many as the plan itself."""
    plan = a_plan(a=step(), b=step())
    now = hired(begun(), "a", "b") >> blocked("plan-a", blockers=["x"] * 60)
    report = next(finals(course(now >> blocked("plan-b", blockers=["y"] * 60), plan)))
    assert len(report["blockers"]) == 64


def test_a_child_that_somebody_else_hired_is_no_step() -> None:
    """Whatever key was given with it: callers' keys hold no slash."""
    now = begun() >> spawn("stranger", under="plan", key="a") >> started("stranger")
    assert became(course(now >> final("stranger", "forged")))["a"] is Became.OPEN


def test_a_successor_goes_on_with_what_was_not_completed() -> None:
    """What an earlier node completed stays completed; what it did not is begun anew."""
    now = hired(begun(), "a") >> final("plan-a", "ground") >> gone("plan-a")
    now = hired(now, "b", "c") >> final("plan-c") >> gone("plan-c") >> recover("plan-b")
    now = now >> recover("plan") >> succeed("heir", "plan") >> started("heir")
    found = course(now, label="heir")
    assert became(found) == {
        "a": Became.COMPLETED,
        "b": Became.OPEN,
        "c": Became.COMPLETED,
        "d": Became.OPEN,
    }
    assert ready(found) == ("b",)
    assert mission_of(found, "b", "") == "Go on from ground."


def test_an_answer_reaches_the_step_that_was_blocked_and_no_other() -> None:
    """The letter of the plan's successor holds it."""
    plan = a_plan(a=step("Ask."), b=step("Other."))
    now = hired(begun(), "a", "b") >> blocked("plan-a") >> gone("plan-a") >> ended("plan-b")
    now = now >> gone("plan-b") >> blocked("plan") >> gone("plan")
    now = now >> succeed("heir", "plan") >> started("heir")
    letter = "continues: x\noperator answer: 8080\nuse it"
    found = course(now, plan, "heir")
    assert mission_of(found, "a", letter) == "Ask.\n\noperator answer: 8080\nuse it"
    assert mission_of(found, "b", letter) == "Other."
    assert mission_of(found, "a", "continues: x") == "Ask."


def test_a_step_that_a_person_had_continued_counts_as_its_successor_ends() -> None:
    """While the plan is under way somebody may see to one of its children."""
    plan = a_plan(a=step(), z=step("{{a.output}}"))
    now = hired(begun(), "a") >> blocked("plan-a") >> gone("plan-a")
    assert became(course(now, plan))["a"] is Became.BLOCKED
    now = now >> succeed("seen-to", "plan-a", by="plan") >> started("seen-to")
    assert became(course(now, plan))["a"] is Became.LIVE
    now = now >> final("seen-to", "by another") >> gone("seen-to")
    assert mission_of(course(now, plan), "z", "") == "by another"


def test_the_fullest_report_comes_first_and_the_least_is_one_line() -> None:
    """Whoever sends it takes the first that fits; files go before words do."""
    plan = a_plan("Done: {{a.output}}", a=step())
    now = hired(begun(), "a") >> final("plan-a", "all", files=["x", "y"])
    found = [dict(report) for report in finals(course(now, plan))]
    head = "Plan of 1 step: 1 completed."
    assert found[0]["output"] == f"{head}\n- a: completed\n\nDone: all"
    assert (found[0]["files"], "files" in found[1]) == (["x", "y"], False)
    assert found[-1]["output"] == head


def test_without_a_report_of_its_own_the_last_steps_speak() -> None:
    """Those that nobody waits for, each under its name."""
    plan = a_plan(a=step(), b=step("{{a.output}}"), z=step())
    now: Any = (
        hired(begun(), "a", "z") >> final("plan-a", "A") >> gone("plan-a") >> final("plan-z", "Z")
    )
    now = hired(now, "b") >> final("plan-b", "B")
    told = outputs(course(now, plan))[0]
    assert "b:\nB\n\nz:\nZ" in told
    assert "a:\nA" not in told
