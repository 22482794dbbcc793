from subsessiond.model.decision import Accepted
from subsessiond.model.events import Dismissed
from subsessiond.model.rejection import Code
from tests.support.moves import blocked, dismiss, final, spawn
from tests.support.playbook import nothing, play, said
from tests.support.world import at_work, ended, started


def test_a_blocked_node_is_taken_out_of_the_queue_once() -> None:
    """Nothing else about it changes, and a second time changes nothing."""
    now = at_work(play(), "w") >> blocked("w") >> dismiss("w") << said(Dismissed, "w")
    assert now.node("w").dismissed
    _ = now >> dismiss("w") << nothing << said(Accepted, already=True)


def test_only_what_stands_in_the_queue_is_dismissed() -> None:
    """A live node, one that completed, a root and nobody do not."""
    now = at_work(play(), "w", "v") >> final("v")
    for label in ("w", "v", "root", "nobody"):
        _ = now >> dismiss(label) << Code.NOT_FOUND << nothing


def test_unread_mail_is_put_aside() -> None:
    """A parent that left mail stands in the queue for it, and leaves it the same way."""
    now = at_work(play(), "lead", role="lead") >> spawn("w", under="lead") >> started("w")
    now = now >> final("w") >> ended("lead") >> dismiss("lead") << said(Dismissed, "lead")
    assert now.mail("lead")


def test_a_node_dismisses_nothing() -> None:
    """The queue is the operator's."""
    now = at_work(play(), "w") >> blocked("w") >> dismiss("w", by="root") << Code.NOT_ALLOWED
    assert not now.node("w").dismissed
