"""The context ledger as the operator is shown it."""

from collections.abc import Mapping, Sequence

from subsessiond.core.bounds import estimated_tokens
from subsessiond.core.ledger import may_lack, ratio, shown_bytes, total, transcript_bytes
from subsessiond.model.ids import NodeId
from subsessiond.model.ledger import Account, Life
from subsessiond.model.node import Node
from subsessiond.model.view.ledger import LedgerRow, LedgerSum

Accounts = Mapping[NodeId, Account]
Lives = tuple[Life, ...]


def ledger_row(node: Node, root: Node | None, accounts: Accounts, lives: Lives) -> LedgerRow:
    """Make the row of one child."""
    account = accounts.get(node.node_id)
    whole = account if account is not None and account.since_ms is None else None
    holds, was_shown = transcript_bytes(node, account), shown_bytes(account)
    return LedgerRow(
        node_id=node.node_id,
        root_id=node.root,
        parent_id=node.parent,
        title=node.title,
        role=node.role.name if node.role is not None else "",
        runner=node.runner,
        state=node.status,
        transcript_bytes=holds,
        transcript_estimated_tokens=_tokens(holds),
        shown_bytes=was_shown,
        shown_estimated_tokens=_tokens(was_shown),
        mail_bytes=whole.mail if whole else None,
        answer_bytes=whole.answers if whole else None,
        again_bytes=whole.again if whole else None,
        definition_bytes=account.definitions if account else None,
        general_bytes=whole.general if whole else None,
        ratio=ratio(was_shown, holds),
        counted_since=account.since_ms if account else None,
        may_lack=may_lack(node, root, lives),
    )


def ledger_sum(root: Node, rows: Sequence[LedgerRow], accounts: Accounts) -> LedgerSum:
    """Add up the rows of all nodes below a root, those of which both figures are known."""
    both = [r for r in rows if r.transcript_bytes is not None and r.shown_bytes is not None]
    own = accounts.get(root.node_id)
    general = own.general if own is not None and own.since_ms is None else None
    general = total((general, *(row.general_bytes for row in rows)))
    holds = total(row.transcript_bytes for row in both) if both else None
    was_shown = total((general, *(row.shown_bytes for row in both)))
    return LedgerSum(
        root_id=root.node_id,
        title=root.title,
        state=root.status,
        children=len(rows),
        counted=len(both),
        transcript_bytes=holds,
        transcript_estimated_tokens=_tokens(holds),
        shown_bytes=was_shown,
        shown_estimated_tokens=_tokens(was_shown),
        general_bytes=general,
        again_bytes=total(row.again_bytes for row in rows),
        definition_bytes=own.definitions if own is not None else None,
        ratio=ratio(was_shown, holds),
        may_lack=any(row.may_lack for row in rows),
    )


def _tokens(size: int | None) -> int | None:
    return estimated_tokens(size) if size is not None else None
