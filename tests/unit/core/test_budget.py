from subsessiond.model.brief import Grant
from subsessiond.model.events import NodeAdmitted
from subsessiond.model.rejection import Code, Rejection
from tests.support.moves import PERSON, blocked, final, open_root, spawn, succeed
from tests.support.playbook import play
from tests.support.world import at_work, gone, started


def test_the_caps_of_live_children_fit_beside_each_other() -> None:
    """A root of 100,000 lends 60,000 and 40,000, and then nothing more."""
    now = play(root_token_cap=100_000) >> open_root()
    now = now >> spawn("a", token_cap=60_000) >> spawn("b", token_cap=40_001)
    now = now << Code.TREE_BUDGET_EXCEEDED
    assert isinstance(now.reply, Rejection)
    assert (now.reply.limit, now.reply.actual) == (40_000, 40_001)
    now = now >> spawn("b", token_cap=40_000) << NodeAdmitted
    now = now >> spawn("c", token_cap=20_000) << Code.TREE_BUDGET_EXCEEDED
    assert isinstance(now.reply, Rejection)
    assert now.reply.limit == 0


def test_a_settled_child_gives_its_tokens_back() -> None:
    """Declared arithmetic: whatever it used, its cap is free again."""
    now = play(root_token_cap=50_000) >> open_root() >> spawn("a", token_cap=50_000)
    now = now >> spawn("b", token_cap=50_000) << Code.TREE_BUDGET_EXCEEDED
    _ = now >> final("a") >> spawn("b", token_cap=50_000) << NodeAdmitted


def test_a_parent_keeps_its_reserve() -> None:
    """What the last report may cost is lent to nobody: 100,000 less 3,200."""
    now = at_work(play(), "lead", role="lead", token_cap=100_000)
    _ = now >> spawn("x", under="lead", token_cap=96_801) << Code.TREE_BUDGET_EXCEEDED
    _ = now >> spawn("x", under="lead", token_cap=96_800) << NodeAdmitted


def test_a_root_without_tokens_lends_none() -> None:
    """Zero means zero, and a refusal never names a limit below it."""
    now = play() >> open_root(token_cap=0) >> spawn("x") << Code.TREE_BUDGET_EXCEEDED
    assert isinstance(now.reply, Rejection)
    assert now.reply.limit == 0


def test_a_grant_of_tokens_raises_every_cap_above() -> None:
    """The successor gets its brief's cap and the grant; everybody above has as much more."""
    now = play(root_token_cap=100_000) >> open_root()
    now = now >> spawn("lead", role="lead", token_cap=100_000) >> started("lead")
    now = now >> spawn("w", under="lead", token_cap=96_800) >> blocked("w") >> gone("w")
    now = now >> succeed("heir", "w", by=PERSON, grant=Grant(tokens=50_000)) << NodeAdmitted
    caps = [now.node(label).token_cap for label in ("root", "lead", "heir", "w")]
    assert caps == [150_000, 150_000, 146_800, 96_800]
    assert now.tree.lent[now.id("root")] == 150_000
    _ = now >> spawn("x", under="lead", token_cap=20_000) << Code.TREE_BUDGET_EXCEEDED


def test_granted_tokens_stay_with_those_above() -> None:
    """What was used under the grant was used: the caps above do not fall when it ends."""
    now = at_work(play(root_token_cap=200_000), "w") >> blocked("w") >> gone("w")
    now = now >> succeed("heir", "w", by=PERSON, grant=Grant(tokens=1_000)) >> started("heir")
    now = now >> final("heir")
    assert now.node("root").token_cap == 201_000
    assert not now.tree.lent


def test_a_cap_that_can_never_fit_is_not_worth_a_retry() -> None:
    """What would not fit beside nobody is refused for good; what a sibling holds may come free."""
    now = play() >> open_root(token_cap=100_000) >> spawn("a", token_cap=60_000)
    crowded = (now >> spawn("b", token_cap=60_000) << Code.TREE_BUDGET_EXCEEDED).reply
    assert isinstance(crowded, Rejection)
    assert crowded.retryable
    never = (now >> spawn("b", token_cap=100_001) << Code.TREE_BUDGET_EXCEEDED).reply
    assert isinstance(never, Rejection)
    assert not never.retryable
    assert "at most 100000" in never.detail
