from msgspec.structs import replace

from subsessiond.core.case import SpawnCase
from subsessiond.core.spawn import CHECKS
from subsessiond.model.brief import Grant
from subsessiond.model.commands import Spawn
from subsessiond.model.role import Isolation
from tests.support.moves import blocked, spawn
from tests.support.playbook import Play, play
from tests.support.policies import WORKER
from tests.support.world import at_work, gone


def case_of(now: Play, label: str = "x", *, under: str = "root", **fields: object) -> SpawnCase:
    """Make the case of a spawn without deciding it."""
    seen: list[Spawn] = []

    class Watcher(Play, frozen=True, kw_only=True):
        def decide(self, command: object) -> Play:
            assert isinstance(command, Spawn)
            seen.append(command)
            return self

    watcher = Watcher(**{name: getattr(now, name) for name in Play.__struct_fields__})
    spawn(label, under=under, **fields)(watcher)  # type: ignore[arg-type]
    return SpawnCase(
        tree=now.tree, policy=now.policy, command=seen[0], parent=now.tree.nodes[now.id(under)]
    )


def test_what_the_brief_leaves_out_the_role_fills_in() -> None:
    """Cap, report, sections, isolation, and depth as the least of what is allowed."""
    case = case_of(at_work(play()))
    assert (case.token_cap, case.max_report_tokens, case.required_sections) == (200_000, 600, ())
    assert (case.isolation, case.depth, case.reserve_tokens) == (Isolation.SHARED, 0, 3_200)


def test_what_the_brief_says_holds() -> None:
    """Also where it asks for no sections at all."""
    case = case_of(
        at_work(play()),
        token_cap=50_000,
        report_tokens=100,
        sections=(),
        isolation=Isolation.WORKTREE,
        depth_allowance=3,
    )
    assert (case.token_cap, case.max_report_tokens, case.required_sections) == (50_000, 100, ())
    assert (case.isolation, case.depth, case.reserve_tokens) == (Isolation.WORKTREE, 3, 2_200)


def test_without_a_brief_or_a_role_there_are_still_numbers() -> None:
    """Every check can be asked of every case."""
    case = case_of(at_work(play()), role="none", faults=("brief.mission",))
    assert (case.agent, case.token_cap, case.depth, case.depth_limit) == (None, 200_000, 0, 0)
    assert case.required_sections == WORKER.required_sections
    assert [bool(check(case)) for check in CHECKS] == [True, True, *[False] * 6]


def test_whose_claims_do_not_count() -> None:
    """Everybody above, and the one that is continued."""
    now = at_work(play(), "a", role="lead")
    assert case_of(now, under="a").exempt == {now.id("a"), now.id("root")}
    now = at_work(play(), "w") >> blocked("w") >> gone("w")
    assert case_of(now, continues="w").exempt == {now.id("w"), now.id("root")}


def test_a_grant_is_known_by_its_spelling_and_by_its_normal_form() -> None:
    """Whichever of the two the edge stamped on it."""
    case = case_of(at_work(play()), owns=("lib/*", "b"), spelled=("./lib/*", "b"))
    case.grant = Grant(globs=("./lib/*", "x"))
    assert case.granted == ("./lib/*", "x", "lib/*")
    assert replace(case.command, paths=type(case.command.paths)()).paths.owns == ()
