import pytest
from msgspec.structs import replace

from subsessiond.core.permission import ARGUMENT_BYTES
from subsessiond.model.brief import Grant
from subsessiond.model.events import NodeAdmitted
from subsessiond.model.projectrole import RoleState
from subsessiond.model.rejection import Code, Rejection
from subsessiond.model.role import AgentProfile, Channel, Isolation, Role, ToolClass
from tests.support.moves import OPERATOR, PERSON, blocked, open_root, spawn, succeed
from tests.support.playbook import Play, Step, play
from tests.support.policies import ALL_TOOLS, READER, WORKER, a_policy
from tests.support.rolefiles import accepted
from tests.support.world import at_work, gone

SHORT = AgentProfile(name="mute", runner="scripted", brief_by="argument", takes_schema=False)


def refused(now: Play, step: Step, code: Code) -> Rejection:
    """Give the refusal of a step."""
    after = now >> step << code
    assert isinstance(after.reply, Rejection)
    return after.reply


def test_a_role_that_is_not_configured_is_refused() -> None:
    """The refusal says where to look and not what was asked for."""
    rejection = refused(play() >> open_root(), spawn("x", role="nobody"), Code.ROLE_UNKNOWN)
    assert "nobody" not in rejection.message


@pytest.mark.scenario("S04")
def test_a_leaf_with_delegate_is_unsafe() -> None:
    """S04: a leaf can never hold spawn or succeed."""
    leaf = Role(name="leaf", tier="strong", tools=ALL_TOOLS)
    rejection = refused(
        play(a_policy(leaf)) >> open_root(), spawn("x", role="leaf"), Code.ROLE_UNSAFE
    )
    assert "delegate" in rejection.detail


def test_a_role_whose_tier_no_agent_serves_is_unsafe() -> None:
    """The refusal names tier and role."""
    lost = Role(name="lost", tier="moon")
    rejection = refused(
        play(a_policy(lost)) >> open_root(), spawn("x", role="lost"), Code.ROLE_UNSAFE
    )
    assert "moon" in rejection.detail


def test_an_agent_must_be_able_to_do_what_the_brief_asks() -> None:
    """A schema, a command line or a worktree that the agent cannot have is refused before start."""
    now = play(a_policy(agents=(SHORT,))) >> open_root()
    _ = now >> spawn("x", role="reader", schema={"type": "object"}) << Code.ROLE_UNSAFE
    _ = now >> spawn("x", role="worker", schema={"type": "object"}) << NodeAdmitted
    _ = now >> spawn("x", role="reader", argv=("ls",), by=OPERATOR) << Code.ROLE_UNSAFE
    _ = now >> spawn("x", role="check") << Code.ROLE_UNSAFE
    _ = now >> spawn("x", isolation=Isolation.WORKTREE) << Code.ROLE_UNSAFE


def test_an_agent_of_one_text_is_not_asked_for_sections() -> None:
    """It could end as well as it may, its final would be refused: so its spawn is."""
    ends = AgentProfile(name="mute", runner="jsonl", channel=Channel.CLOSING_RESULT)
    now = play(a_policy(agents=(ends,))) >> open_root()
    rejection = refused(now, spawn("x", role="reader", sections=("risks",)), Code.ROLE_UNSAFE)
    assert rejection.detail == "agent mute ends with one text and has no sections; require none"
    _ = now >> spawn("x", role="reader") << NodeAdmitted
    _ = now >> spawn("x", role="worker", sections=("risks",)) << NodeAdmitted


@pytest.mark.scenario("S14")
@pytest.mark.parametrize("long", ["mission", "context", "owns"])
def test_a_text_too_long_for_one_argument_is_refused_before_the_start(long: str) -> None:
    """S14: all that the child would read counts, with limit and field; by stdin it passes."""
    long_text = "x" * ARGUMENT_BYTES
    order = {
        "mission": {"mission": long_text},
        "context": {"context": (long_text,)},
        "owns": {"owns": tuple(f"{number:04}" + "x" * 500 for number in range(250))},
    }[long]
    now = play(a_policy(agents=(SHORT,))) >> open_root()
    rejection = refused(now, spawn("x", role="reader", **order), Code.ROLE_UNSAFE)  # type: ignore[arg-type]
    assert "brief.mission" in rejection.detail
    assert str(ARGUMENT_BYTES) in rejection.detail
    _ = now >> spawn("x", role="worker", **order) << NodeAdmitted  # type: ignore[arg-type]


@pytest.mark.scenario("S14")
def test_a_letter_counts_as_part_of_the_one_argument() -> None:
    """S14: a mission that just fitted is refused when the handover letter pushes it over."""
    now = play(a_policy(agents=(SHORT,))) >> open_root()
    least, most = 0, ARGUMENT_BYTES
    while least < most:
        middle = (least + most + 1) // 2
        tried = now >> spawn("x", role="reader", mission="x" * middle, check_only=True)
        fits = not isinstance(tried.reply, Rejection)
        least, most = (middle, most) if fits else (least, middle - 1)
    now = now >> spawn("w", role="reader", mission="x" * least) >> blocked("w") >> gone("w")
    _ = now >> succeed("heir", "w") << Code.ROLE_UNSAFE


def test_a_child_never_holds_a_tool_class_that_its_parent_lacks() -> None:
    """A root has all; below a lead that only reads, a writer is refused."""
    tools = (ToolClass.READ, ToolClass.SEARCH, ToolClass.THINK, ToolClass.FETCH, ToolClass.DELEGATE)
    scout = Role(name="scout", tier="strong", depth_cap=1, tools=tools, token_cap=900_000)
    now = at_work(play(a_policy(scout)), "s", role="scout")
    rejection = refused(now, spawn("x", under="s", role="worker"), Code.TOOL_FILTER_REFUSED)
    assert rejection.paths == ("edit", "delete", "execute")
    _ = now >> spawn("x", under="s", role="reader") << NodeAdmitted
    _ = now >> spawn("x", under="s", role="worker", by=OPERATOR) << Code.TOOL_FILTER_REFUSED


def test_a_grant_of_tools_serves_one_successor() -> None:
    """It satisfies the check for the successor, and is not inherited by who comes after it."""
    tools = (ToolClass.READ, ToolClass.FETCH, ToolClass.SEARCH, ToolClass.THINK, ToolClass.DELEGATE)
    scout = Role(name="scout", tier="strong", depth_cap=1, tools=tools, token_cap=900_000)
    now = at_work(play(a_policy(scout)), "s", role="scout")
    now = now >> spawn("w", under="s", role="reader") >> blocked("w") >> gone("w")
    grant = Grant(tools=(ToolClass.EDIT, ToolClass.DELETE, ToolClass.EXECUTE))
    now = now >> succeed("heir", "w", by=PERSON, role="worker", grant=grant) << NodeAdmitted
    now = now >> blocked("heir") >> gone("heir")
    _ = now >> succeed("next", "heir", by=PERSON) << Code.TOOL_FILTER_REFUSED


def test_a_role_of_the_workspace_is_of_use_once_it_is_accepted() -> None:
    """What nobody accepted, what has changed since, and what is no role are told apart."""
    good = accepted(WORKER)
    now = play() >> open_root()
    _ = now >> spawn("x", project=good) << NodeAdmitted
    for state, words in (
        (RoleState.UNACCEPTED, "has not accepted rev.md; she can, by subsession roles accept"),
        (RoleState.CHANGED, "has not accepted rev.md as it is now; she can"),
        (RoleState.REFUSED, "rev.md cannot be a role: is a link"),
    ):
        found = replace(good, state=state, problem="is a link")
        rejection = refused(now, spawn("x", project=found), Code.ROLE_UNSAFE)
        assert words in rejection.detail
    assert refused(now, spawn("x", role="project/rev"), Code.ROLE_UNKNOWN).step == "role"


def test_its_text_counts_where_the_brief_is_an_argument() -> None:
    """What stands before the mission is part of the one argument."""
    role = accepted(replace(READER, preface="x" * ARGUMENT_BYTES))
    now = play(a_policy(agents=(SHORT,))) >> open_root()
    rejection = refused(now, spawn("x", project=role), Code.ROLE_UNSAFE)
    assert "takes at most" in rejection.detail
