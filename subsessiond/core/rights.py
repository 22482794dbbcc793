"""Who may touch whom. Not one's own and not existing look the same to a node."""

from subsessiond.model.commands import Caller
from subsessiond.model.node import Node
from subsessiond.model.rejection import Code, Rejection


def is_below(caller: Caller, node: Node) -> bool:
    """Tell whether a node is the caller's own child, or the caller is the operator."""
    return caller.is_operator or caller.node_id == node.parent


def refuse_non_operator(caller: Caller) -> Rejection | None:
    """Refuse everyone but the operator."""
    if caller.is_operator:
        return None
    detail = "only the operator does this, from a terminal of her own" + (
        f"; {caller.why}" if caller.why else ""
    )
    return Rejection(code=Code.NOT_ALLOWED, step="caller", detail=detail)


def refuse_non_granting(caller: Caller) -> Rejection | None:
    """Refuse everyone who is not a person at a terminal or page of her own."""
    if rejection := refuse_non_operator(caller):
        return rejection
    if caller.may_grant:
        return None
    detail = "this needs a person's own terminal" + (f"; {caller.why}" if caller.why else "")
    return Rejection(code=Code.NOT_ALLOWED, step="granting", detail=detail)
