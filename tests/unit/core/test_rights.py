from subsessiond.core.rights import is_below, refuse_non_granting, refuse_non_operator
from subsessiond.model.commands import Caller
from subsessiond.model.rejection import Code
from tests.support.moves import spawn
from tests.support.playbook import play
from tests.support.world import at_work


def test_a_node_reaches_its_own_children_and_no_further() -> None:
    """Neither itself, nor its parent, nor its grandchild is below a node."""
    now = at_work(play(), "lead", role="lead") >> spawn("w", under="lead")
    lead = Caller(node_id=now.id("lead"))
    assert is_below(lead, now.node("w"))
    assert not is_below(lead, now.node("lead"))
    assert not is_below(lead, now.node("root"))
    assert not is_below(Caller(node_id=now.id("root")), now.node("w"))
    assert is_below(Caller(), now.node("root"))


def test_a_refusal_says_how_the_caller_was_derived() -> None:
    """Who is refused learns as whom."""
    refused = refuse_non_operator(Caller(node_id=play().id("x"), why="pid 7 lives in x"))
    assert refused is not None
    assert refused.code is Code.NOT_ALLOWED
    assert "pid 7 lives in x" in refused.detail


def test_only_a_person_grants() -> None:
    """A process of the operator is not the operator's word."""
    assert refuse_non_granting(Caller(may_grant=True)) is None
    assert refuse_non_operator(Caller()) is None
    without, child = refuse_non_granting(Caller(why="no terminal")), play().id("x")
    assert without is not None
    assert (without.step, without.code) == ("granting", Code.NOT_ALLOWED)
    assert "no terminal" in without.detail
    refused = refuse_non_granting(Caller(node_id=child, may_grant=True))
    assert refused is not None
    assert refused.step == "caller"
