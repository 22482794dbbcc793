from subsessiond.engine.handing import Handed
from subsessiond.model.events import MessagesMoved
from subsessiond.model.ids import MessageId, NodeId
from subsessiond.model.message import MessageState
from subsessiond.model.tree import Tree


def test_only_one_takes_a_message_until_the_tree_says_so() -> None:
    """The second is told no; once it is published nothing has to be remembered."""
    handed, one = Handed(), MessageId("n.1")
    assert handed.take(one)
    assert not handed.take(one)
    moved = MessagesMoved(
        node=NodeId("n"), message_ids=(one,), state=MessageState.DELIVERED, at_ms=1, seq=1
    )
    handed.on_events((moved,), Tree())
    assert not handed
