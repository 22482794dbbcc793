"""What callers are shown. Two sizes of the same things: all of it, and what a node may see.

A field without a default is always written; one with a default is left out when it has nothing to
say. `measuredTokens` and `measuredSubtree` are always written: null means "not reported", and no
other number stands in.
Times are wall clock milliseconds since 1970; an unknown one is absent.
"""

from subsessiond.model.view.caller import CallerAnswer, CallerKind, TerritoryRow
from subsessiond.model.view.daemon import (
    AcceptAnswer,
    AgentRow,
    AgentsAnswer,
    HealthAnswer,
    InfoAnswer,
    ProjectRoleRow,
    ReloadAnswer,
    RoleRow,
    RolesAnswer,
    ShutdownAnswer,
    StatsAnswer,
)
from subsessiond.model.view.ledger import LedgerAnswer, LedgerRow, LedgerSum
from subsessiond.model.view.mail import (
    InboxAnswer,
    MailItem,
    ReceiptAnswer,
    ReportAnswer,
    SteerAnswer,
    UnreadAnswer,
)
from subsessiond.model.view.nodes import (
    ChildView,
    Envelope,
    NodeView,
)
from subsessiond.model.view.queue import (
    BlockedAnswer,
    BlockedRow,
    LetterAnswer,
)
from subsessiond.model.view.rows import (
    ChildRow,
    EventNote,
    MeasuredSubtree,
    MeasuredTokens,
    Row,
    SubscribeAnswer,
    TreeAnswer,
)
from subsessiond.model.view.work import (
    AttachAnswer,
    CancelAnswer,
    CheckpointAnswer,
    JournalAnswer,
    JournalEntry,
    NodeAnswer,
    OpenAnswer,
    SpawnAnswer,
    StoppedNode,
    TranscriptAnswer,
    TranscriptRecord,
)

__all__ = [
    "AcceptAnswer",
    "AgentRow",
    "AgentsAnswer",
    "AttachAnswer",
    "BlockedAnswer",
    "BlockedRow",
    "CallerAnswer",
    "CallerKind",
    "CancelAnswer",
    "CheckpointAnswer",
    "ChildRow",
    "ChildView",
    "Envelope",
    "EventNote",
    "HealthAnswer",
    "InboxAnswer",
    "InfoAnswer",
    "JournalAnswer",
    "JournalEntry",
    "LedgerAnswer",
    "LedgerRow",
    "LedgerSum",
    "LetterAnswer",
    "MailItem",
    "MeasuredSubtree",
    "MeasuredTokens",
    "NodeAnswer",
    "NodeView",
    "OpenAnswer",
    "ProjectRoleRow",
    "ReceiptAnswer",
    "ReloadAnswer",
    "ReportAnswer",
    "RoleRow",
    "RolesAnswer",
    "Row",
    "ShutdownAnswer",
    "SpawnAnswer",
    "StatsAnswer",
    "SteerAnswer",
    "StoppedNode",
    "SubscribeAnswer",
    "TerritoryRow",
    "TranscriptAnswer",
    "TranscriptRecord",
    "TreeAnswer",
    "UnreadAnswer",
]
