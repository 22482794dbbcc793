from subsessiond.model.effects import StartChild, StopChild
from subsessiond.model.events import LeftoversFound, MessagesMoved, NodeReleased, NodeSettled
from subsessiond.model.message import Message, MessageState, Source
from subsessiond.model.node import Status
from tests.support.moves import cancel, close, final, finding, spawn, succeed
from tests.support.playbook import nothing, play, said
from tests.support.world import at_work, delivered, gone, recover


def test_a_running_child_of_an_earlier_life_is_settled_and_released() -> None:
    """The reason says what happened, and its parent is told once."""
    now = at_work(play(), "w") >> recover("w", forced=True)
    now = now << said(NodeSettled, "w", settlement__reason="daemon-restart")
    now = now << said(NodeReleased, "w") << said(Message, "root", source=Source.SETTLED)
    assert now.node("w").forced


def test_a_start_that_was_cut_off_is_uncertain() -> None:
    """It is settled with a reason that says so, and its key stays used."""
    now = at_work(play()) >> spawn("w", key="k") >> recover("w")
    now = now << said(NodeSettled, "w", settlement__reason="start-interrupted")
    assert now.tree.keys
    assert now.node("w").status is Status.RELEASED


def test_recovering_twice_gives_the_same_state() -> None:
    """The second time nothing happens, with leftovers or without."""
    now = at_work(play(), "a", "b") >> recover("a") >> recover("b", "pid 7")
    _ = now >> recover("a") << nothing
    _ = now >> recover("b", "pid 7") << nothing
    _ = now >> recover("root") << nothing
    _ = now >> recover("nobody") << nothing


def test_recovered_leftovers_keep_the_claim() -> None:
    """Nobody is asked to stop what this life does not run, so nobody can say that it is gone."""
    now = at_work(play(), "w", owns="a") >> recover("w", "pid 7") << said(LeftoversFound, "w")
    assert not any(isinstance(effect, StopChild) for effect in now.effects)
    _ = now >> gone("w") << nothing
    later_life = now >> recover("w") << said(NodeReleased, "w")
    assert not later_life.tree.claims


def test_a_node_that_was_stopping_is_released() -> None:
    """Its terminal record stands; only the proof was missing."""
    now = at_work(play(), "w") >> final("w") >> recover("w") << said(NodeReleased, "w")
    assert not any(isinstance(event, NodeSettled) for event in now.events)


def test_a_cancel_is_finished_after_a_restart() -> None:
    """A closing root closes when the last child is recovered."""
    now = at_work(play(), "a", "b") >> cancel("a") >> close() >> recover("b") >> recover("a")
    _ = now << said(NodeReleased, "root")


def test_a_successor_that_waited_does_not_start_by_itself_after_a_restart() -> None:
    """It is settled first, and the predecessor's release then starts nobody."""
    now = at_work(play(), "w") >> final("w") >> succeed("heir", "w") >> recover("heir")
    now = now >> recover("w") << said(NodeReleased, "w")
    assert all(effect.node != now.id("heir") for effect in now.effects)
    _ = now >> succeed("next", "w") << said(StartChild, "next")


def test_what_a_root_was_handed_comes_again_after_a_restart() -> None:
    """Its answer may never have come; once, marked, however often it is recovered."""
    now = at_work(play(), "w") >> finding("w", "one") >> delivered("root") >> finding("w", "two")
    now = now >> recover("root") << said(MessagesMoved, "root", state=MessageState.STAGED)
    assert [(m.state, m.again) for m in now.mail("root")] == [
        (MessageState.STAGED, True),
        (MessageState.STAGED, False),
    ]
    _ = now >> recover("root") << nothing
