"""Token caps: declared arithmetic, never metering."""

from subsessiond.core.case import SpawnCase
from subsessiond.model.rejection import Code, Rejection


def check_budget(case: SpawnCase) -> Rejection | None:
    """Refuse a cap that does not fit beside those of the parent's live children.

    Invariant: caps cover subtrees, so what holds at every parent holds at every ancestor (INV-4).
    """
    parent = case.parent
    lent = case.tree.lent.get(parent.node_id, 0)
    left = parent.token_cap + case.grant.tokens - parent.reserve_tokens - lent
    if case.token_cap <= left:
        return None
    alone = left + lent
    hopeless = case.token_cap > alone
    detail = f"at most {max(0, alone)} can ever fit below it; ask for less" if hopeless else ""
    return Rejection(
        code=Code.TREE_BUDGET_EXCEEDED,
        step="budget",
        detail=detail,
        limit=max(0, left),
        actual=case.token_cap,
        hopeless=hopeless,
    )
