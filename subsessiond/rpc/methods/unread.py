"""`subsession.unread`: what an agent's hook asks before its turn ends.

It moves nothing: the mail is read by `inbox`, on the one way on which mail is handed over.
"""

from subsessiond.core.bounds import size_bytes
from subsessiond.core.views.mail import unread as unread_of
from subsessiond.core.words import unread_told
from subsessiond.model.view import UnreadAnswer
from subsessiond.rpc.call import Call
from subsessiond.rpc.desk import Desk
from subsessiond.wire.params import UnreadParams

NOTHING = UnreadAnswer(count=0, text="")


async def unread(desk: Desk, call: Call, params: UnreadParams) -> UnreadAnswer:
    """Tell of unread mail: of all at the first end of a turn, then of what came since.

    Children hear nothing here: the daemon prompts them itself, and a hook of the person's settings
    runs in theirs, too.
    """
    node_id = call.caller.node_id
    node = None if node_id is None else desk.tree.nodes.get(node_id)
    if node is None or not node.is_root:
        return NOTHING
    waiting = unread_of(desk.tree.mail.get(node.node_id, ()), desk.changes.handed)
    before = desk.changes.told.get(node.node_id, frozenset())
    # Why only what is new: each message keeps a turn from ending once, so no turn goes on for ever.
    fresh = [one for one in waiting if not (params.again and one in before)]
    desk.changes.told[node.node_id] = frozenset(waiting)
    if not fresh:
        return NOTHING
    text = unread_told(len(fresh))
    desk.ledger.show(node.node_id, size_bytes(text), ())
    return UnreadAnswer(count=len(fresh), text=text)
