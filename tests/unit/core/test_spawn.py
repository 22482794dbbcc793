import pytest
from msgspec.structs import replace

from subsessiond.core import spawn as pipeline
from subsessiond.model.decision import Admitted
from subsessiond.model.effects import AppendJournal, StartChild
from subsessiond.model.events import NodeAdmitted
from subsessiond.model.node import Status
from subsessiond.model.rejection import Code, Rejection
from tests.support.moves import OPERATOR, cancel, close, final, open_root, spawn
from tests.support.playbook import nothing, play, said
from tests.support.world import at_work, gone, not_started, started


def test_an_admission_reserves_and_asks_for_one_start() -> None:
    """One event, one journal line, one start; the answer is the claim stamp."""
    now = (
        play()
        >> open_root()
        >> spawn("w", owns="a/*")
        << said(NodeAdmitted, "w")
        << said(AppendJournal, "w", kind="admitted", line=1)
        << said(StartChild, "w")
    )
    assert len(now.events) == 1
    assert isinstance(now.reply, Admitted)
    assert now.reply.state is Status.CLAIMED
    assert now.reply.claimed_at == now.node("w").claimed_at_ms == now.at_ms - 1


def test_a_parent_that_is_not_there_looks_like_one_that_is_not_ones_own() -> None:
    """A node cannot find out by spawning which ids exist."""
    now = at_work(play(), "a", "b", role="lead")
    strange = now >> spawn("x", under="b", by="a") << Code.NOT_FOUND << nothing
    missing = now >> spawn("x", under="nobody", by="a") << Code.NOT_FOUND << nothing
    assert strange.reply == missing.reply


def test_the_operator_spawns_anywhere() -> None:
    """Below a root or below a child that delegates."""
    now = at_work(play(), "lead", role="lead")
    _ = now >> spawn("x", under="lead", by=OPERATOR) << NodeAdmitted
    _ = now >> spawn("x", by=OPERATOR) << NodeAdmitted


def test_a_leaf_is_refused_whatever_its_tool_list_says() -> None:
    """S20: calling the socket directly helps nobody."""
    _ = at_work(play(), "w") >> spawn("x", under="w") << Code.NOT_ALLOWED << nothing


def test_a_command_line_is_the_operators_alone() -> None:
    """A node that names one is refused before anything else is looked at."""
    now = play() >> open_root()
    _ = now >> spawn("x", role="check", argv=("make",)) << Code.NOT_ALLOWED
    _ = now >> spawn("x", role="check", argv=("make",), by=OPERATOR) << said(StartChild, "x")


def test_nothing_is_spawned_below_who_has_settled() -> None:
    """A parent's end ends its right to hire."""
    now = at_work(play(), "lead", role="lead") >> final("lead")
    _ = now >> spawn("x", under="lead") << Code.PARENT_NOT_LIVE << nothing


def test_nothing_is_spawned_in_a_subtree_that_is_being_stopped() -> None:
    """A closing root hires nobody while its children's processes are still there."""
    now = at_work(play(), "w") >> close()
    assert now.node("root").is_live
    _ = now >> spawn("x") << Code.SUBTREE_STOPPING << nothing
    _ = now >> cancel("w") >> spawn("x") << Code.SUBTREE_STOPPING


def test_asking_alone_changes_nothing() -> None:
    """A check-only spawn runs every check and starts nothing."""
    now = play() >> open_root()
    asked = now >> spawn("w", owns="a/*", check_only=True) << said(Admitted, would_admit=True)
    assert asked.tree == now.tree
    _ = now >> spawn("w", role="none", check_only=True) << Code.ROLE_UNKNOWN << nothing


@pytest.mark.scenario("S34")
def test_a_key_gives_the_same_child_for_ever() -> None:
    """S34: while it starts, while it runs, and after it has settled, and never a second one."""
    now = play() >> open_root() >> spawn("w", key="k")
    again = spawn("second", key="k")
    now = now >> again << nothing << said(Admitted, "w", state=Status.CLAIMED)
    now = now >> started("w") >> again << nothing << said(Admitted, "w", state=Status.RUNNING)
    now = now >> final("w") >> gone("w") >> again << said(Admitted, "w", state=Status.RELEASED)
    assert now.tree.spawned_in[now.id("root")] == 1


@pytest.mark.scenario("S34")
def test_a_key_stands_for_one_brief() -> None:
    """S34: another brief under the same key is a conflict that names the child."""
    now = play() >> open_root() >> spawn("w", key="k")
    now = now >> spawn("x", key="k", mission="Another one.") << Code.KEY_CONFLICT << nothing
    assert isinstance(now.reply, Rejection)
    assert now.reply.sibling == now.id("w")


@pytest.mark.scenario("S34")
def test_a_key_belongs_to_its_parent_and_no_key_is_no_key() -> None:
    """S34: two parents may use one key, and two calls without one make two children."""
    now = at_work(play(), "a", "b", role="lead")
    now = now >> spawn("x", under="a", key="k") >> spawn("y", under="b", key="k") << NodeAdmitted
    _ = now >> spawn("p", under="a") >> spawn("q", under="a") << said(NodeAdmitted, "q")


def test_a_key_is_answered_before_anything_is_judged() -> None:
    """The repeat is answered although by now the caps are full and the parent is ending."""
    now = at_work(play(live_per_parent=1), "lead", role="lead") >> spawn("w", under="lead", key="k")
    now = now >> spawn("w2", under="lead", key="k") << said(Admitted, "w")
    _ = (
        now
        >> final("lead", end_children=True)
        >> spawn("w2", under="lead", key="k")
        << said(Admitted, "w")
    )


def test_a_key_whose_child_was_lost_starts_nothing() -> None:
    """A record that was set aside may have run: the key is refused, not used afresh."""
    now = play() >> open_root() >> spawn("w", key="k")
    place = (now.id("root"), "k")
    known = replace(now.tree.keys[place], node_id=now.id("nobody"))
    lost = replace(now, tree=replace(now.tree, keys=now.tree.keys.set(place, known)))
    _ = lost >> spawn("x", key="k") << Code.KEY_CONFLICT << nothing


def test_an_overwritten_key_is_not_freed_by_its_first_owner() -> None:
    """A failed start frees the key only while the key is its own."""
    now = play() >> open_root() >> spawn("w", key="k") >> not_started("w")
    now = now >> spawn("x", key="k") >> not_started("w")
    assert now.tree.keys[now.id("root"), "k"].node_id == now.id("x")


def test_all_bad_fields_are_named_at_once() -> None:
    """Faults of the brief, of its paths and of its numbers come in one refusal."""
    now = play() >> open_root()
    now = now >> spawn("x", faults=("brief.mission",), path_faults=("brief.ownedGlobs[0]",))
    now = now << Code.BRIEF_INVALID
    assert isinstance(now.reply, Rejection)
    assert [f.path for f in now.reply.fields] == ["brief.mission", "brief.ownedGlobs[0]"]
    now = (
        now
        >> spawn("x", token_cap=1, verify=("files", "scope", "tests", "rm"))
        << (Code.BRIEF_INVALID)
    )
    assert isinstance(now.reply, Rejection)
    assert [f.path for f in now.reply.fields] == ["brief.tokenCap", "brief.verify[3]"]


def test_a_pattern_that_cannot_be_read_is_refused() -> None:
    """A claim that the index cannot hold would be no claim at all."""
    now = play() >> open_root() >> spawn("x", owns=("a", "[", "../b")) << Code.BRIEF_INVALID
    assert isinstance(now.reply, Rejection)
    assert [f.path for f in now.reply.fields] == ["brief.ownedGlobs[1]", "brief.ownedGlobs[2]"]


def test_a_cap_is_at_least_four_reserves() -> None:
    """The reserve of 600 tokens a report is 3,200: 12,800 pass and 12,799 do not."""
    now = play() >> open_root()
    _ = now >> spawn("x", token_cap=12_800) << NodeAdmitted
    _ = now >> spawn("x", token_cap=12_799) << Code.BRIEF_INVALID
    _ = now >> spawn("x", token_cap=12_800, report_tokens=601) << Code.BRIEF_INVALID


def test_an_unknown_role_is_not_blamed_on_the_brief() -> None:
    """Without the role nobody knows what its reports may cost."""
    now = play() >> open_root()
    _ = now >> spawn("x", role="none", token_cap=5_000) << Code.ROLE_UNKNOWN


@pytest.mark.parametrize(
    ("wished", "most"), [(None, 2), (0, 2), (2, 2)], ids=["absent", "none", "all"]
)
def test_depth_is_minted_from_the_parents_record(wished: int | None, most: int) -> None:
    """Absent in the brief it is the least of what parent and role allow."""
    now = play() >> open_root() >> spawn("lead", role="lead", depth_allowance=wished)
    assert now.node("lead").depth == (most if wished is None else wished)


def test_depth_shrinks_by_one_a_level_until_nobody_can_hire() -> None:
    """S20: copies of copies end, however often they try; the refusal has limit and actual."""
    now = play(live_per_parent=None, live_per_tree=None) >> open_root()
    now = now >> spawn("a", role="lead", token_cap=900_000)
    now = now >> spawn("b", under="a", role="lead", token_cap=800_000)
    now = now >> spawn("c", under="b", role="lead", token_cap=700_000)
    assert [now.node(label).depth for label in "abc"] == [2, 1, 0]
    now = now >> spawn("d", under="c", role="lead", token_cap=100_000) << Code.DEPTH_EXCEEDED
    assert isinstance(now.reply, Rejection)
    assert (now.reply.limit, now.reply.actual) == (0, 1)


def test_a_wish_above_the_limit_is_refused_with_both_numbers() -> None:
    """A brief is not quietly cut down to what is allowed."""
    now = play() >> open_root() >> spawn("x", depth_allowance=1) << Code.DEPTH_EXCEEDED
    assert isinstance(now.reply, Rejection)
    assert (now.reply.limit, now.reply.actual) == (0, 1)


@pytest.mark.scenario("S20")
def test_a_verdict_depends_on_the_registry_alone() -> None:
    """S20: a thousand refusals change nothing, and the next fair spawn passes."""
    now = play() >> open_root()
    for _ in range(1_000):
        now = now >> spawn("x", role="none") << Code.ROLE_UNKNOWN
    _ = now >> spawn("x") << NodeAdmitted


def test_continuing_is_gated_like_succession() -> None:
    """`continues` is refused for a stranger, a root, a live one, and one that has an heir."""
    now = at_work(play(), "w", "lead", role="lead")
    _ = now >> spawn("x", continues="nobody") << Code.NOT_FOUND
    _ = now >> spawn("x", continues="root") << Code.NOT_FOUND
    _ = now >> spawn("x", continues="w") << Code.PREDECESSOR_LIVE
    now = now >> final("w") >> gone("w")
    _ = now >> spawn("x", under="lead", continues="w") << Code.NOT_FOUND
    now = now >> spawn("heir", continues="w") << said(NodeAdmitted, "heir") << StartChild
    assert now.node("heir").generation == 2
    _ = now >> spawn("x", continues="w") << Code.ALREADY_SUCCEEDED


def test_the_pipeline_has_no_hidden_step() -> None:
    """What a spawn passes are these two tuples, once its key is answered."""
    assert len(pipeline.AFTER_KEY) == 3
    assert len(pipeline.CHECKS) == 8
