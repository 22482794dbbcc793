"""Word of mail that rides on an answer: a root's agent is woken by nobody, and it reads answers.

Why not the mail itself, as what is said to a child does: reports are read and acknowledged on one
way, by `inbox`, and one may be larger than any other answer.
"""

from subsessiond.core.bounds import size_bytes
from subsessiond.core.views.mail import unread
from subsessiond.core.words.unread import waiting_told
from subsessiond.model.ledger import Part, Why
from subsessiond.rpc.call import Call
from subsessiond.rpc.desk import Desk


def announced(desk: Desk, call: Call) -> tuple[str, ...]:
    """Tell a root of unread mail, each time that some has come; nothing to everybody else.

    A child's own runner hands its mail over.
    """
    node = desk.tree.nodes.get(call.caller.node_id) if call.caller.node_id is not None else None
    if node is None or not node.is_root:
        return ()
    waiting = frozenset(unread(desk.tree.mail.get(node.node_id, ()), desk.changes.handed))
    before = desk.changes.announced.get(node.node_id, frozenset())
    desk.changes.announced[node.node_id] = waiting
    if not waiting - before:
        return ()
    told = waiting_told(len(waiting))
    size = size_bytes(told)
    desk.ledger.show(node.node_id, size, (Part(node=None, why=Why.ANSWER, size=size),))
    return (told,)
