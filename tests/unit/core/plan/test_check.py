"""`core.plan.check`."""

import pytest
from msgspec.structs import replace

from subsessiond.core.plan import check
from subsessiond.core.plan.check import claims_of, faults_of, grave_faults_of, needed_tokens
from subsessiond.model.plan import Plan
from tests.support.plans import a_plan, paths, step
from tests.support.policies import a_policy

SCHEMA = {"outputSchema": {"type": "object", "properties": {"n": {"type": "integer"}}}}


@pytest.mark.parametrize(
    ("plan", "where"),
    [
        (a_plan(a=step(role="nobody")), "steps.a.role"),
        (a_plan(a=step("x", "b")), "steps.a.after[0]"),
        (a_plan(a=step("x", "a")), "steps.a.after[0]"),
        (a_plan(a=step("{{a.output}}")), "steps.a.brief.mission"),
        (a_plan(a=step("{{b.output}}")), "steps.a.brief.mission"),
        (a_plan(a=step(), b=step("{{a.transcript}}")), "steps.b.brief.mission"),
        (
            a_plan(a=step(reportContract=SCHEMA), b=step("{{a.structured.m}}")),
            "steps.b.brief.mission",
        ),
        (a_plan("{{b.output}}", a=step()), "report"),
        (a_plan("{{a.sections.x}}", a=step()), "report"),
        (a_plan(a=step("x", "b"), b=step("x", "a")), "steps"),
    ],
)
def test_each_fault_is_named_where_it_stands(plan: Plan, where: str) -> None:
    """Before anything of the plan has begun."""
    assert where in paths(faults_of(plan, a_policy()))


def test_a_role_without_an_agent_is_named_before_its_step_would_be_refused() -> None:
    """The step could never start, and all that waits for it neither."""
    policy = replace(a_policy(), tiers=())
    (fault,) = faults_of(a_plan(a=step()), policy)
    assert fault.path == "steps.a.role"
    assert "no agent serves it" in fault.problem
    (fault,) = faults_of(a_plan(a=step(role="project/tidy")), a_policy())
    assert "roles of a project" in fault.problem
    (fault,) = faults_of(a_plan(a=step(role="check")), a_policy())
    assert "no command line" in fault.problem


def test_a_sound_plan_has_no_fault() -> None:
    """Fields that a contract promises, files that are apart or one after the other."""
    plan = a_plan(
        "{{b.output}} {{a.structured.n}}",
        a=step(reportContract=SCHEMA, ownedGlobs=["src/a/**"]),
        b=step("{{a.structured.n}}", ownedGlobs=["src/**"]),
        c=step(ownedGlobs=["docs/**"]),
    )
    assert faults_of(plan, a_policy()) == ()


def test_files_of_steps_that_may_run_side_by_side_must_be_apart() -> None:
    """Either one waits for the other, or they never meet; through others counts too."""
    apart = a_plan(a=step(ownedGlobs=["a/*"]), b=step(ownedGlobs=["*/x"]))
    (fault,) = faults_of(apart, a_policy())
    assert fault.path == "steps.b.brief.ownedGlobs"
    assert "a/* and */x" in fault.problem
    chain = a_plan(
        a=step(ownedGlobs=["a/*"]),
        between=step("x", "a"),
        b=step("x", "between", ownedGlobs=["*/x"]),
    )
    assert faults_of(chain, a_policy()) == ()


def test_what_a_mission_may_grow_to_is_judged_before() -> None:
    """By the limits of the reports it is told, so that no step is refused for it later."""
    long = "x" * 31_000
    plan = a_plan(a=step(reportContract={"maxReportTokens": 600}), b=step(long + "{{a.output}}"))
    (fault,) = faults_of(plan, a_policy())
    assert "may grow to" in fault.problem
    short = a_plan(a=step(reportContract={"maxReportTokens": 50}), b=step(long + "{{a.output}}"))
    assert faults_of(short, a_policy()) == ()


def test_more_patterns_than_can_be_compared_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever plans so must say which step comes first."""
    monkeypatch.setattr(check, "PAIRS_MOST", 3)
    globs = {"a": ["a/1", "a/2"], "b": ["b/1", "b/2"]}
    plan = a_plan(**{name: step(ownedGlobs=own) for name, own in globs.items()})
    assert paths(faults_of(plan, a_policy())) == ["steps"]


def test_too_many_patterns_are_counted_and_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """Reading ten thousand of them takes longer than any comparison that is allowed."""
    read: list[str] = []
    monkeypatch.setattr(check, "parse_pattern", lambda text, **_: read.append(text))
    globs = [f"x/{n}" for n in range(200)]
    plan = a_plan(**{f"s{n}": step(ownedGlobs=globs) for n in range(3)})
    assert (paths(faults_of(plan, a_policy())), read) == (["steps"], [])


def test_a_fault_names_no_more_than_a_few_words_of_the_plan() -> None:
    """It reaches whoever made the plan, whose context is not for repeating it."""
    long = "n" * 9_000
    plan = a_plan(a=step(f"{{{{b.{long}}}}} {{{{{long}.output}}}}"), b=step())
    assert max(len(fault.problem) for fault in faults_of(plan, a_policy())) < 150
    wide = a_plan(a=step(ownedGlobs=["a" * 500]), b=step(ownedGlobs=["a" * 500 + "/**"]))
    (fault,) = faults_of(wide, a_policy())
    assert len(fault.problem) < 220


def test_what_nothing_else_judges_is_told_apart() -> None:
    """Circles, what names nobody, and growth; the rest is judged when a step is hired."""
    policy = a_policy()
    assert grave_faults_of(a_plan(a=step(role="nobody")), policy) == ()
    circle = a_plan(a=step("x", "b"), b=step("x", "a"))
    assert paths(grave_faults_of(circle, policy)) == ["steps"]
    assert grave_faults_of(a_plan(a=step("{{gone.output}}")), policy)
    grown = a_plan(a=step(), b=step("{{a.output}}" * 100))
    assert paths(grave_faults_of(grown, policy)) == ["steps.b.brief.mission"]


def test_a_plan_needs_what_its_steps_need_and_a_report() -> None:
    """Caps as briefs or roles say; the files of all of them, each once."""
    plan = a_plan(a=step(tokenCap=50_000, ownedGlobs=["x"]), b=step(tokenCap=1, ownedGlobs=["x"]))
    assert needed_tokens(plan, a_policy(), 100) == 50_001 + 2_200
    assert claims_of(plan) == ("x",)
    by_role = next(role for role in a_policy().roles if role.name == "worker").token_cap
    assert needed_tokens(a_plan(a=step()), a_policy(), None) == by_role + 3_200
