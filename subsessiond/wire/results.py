"""What each method answers: the shapes of `model.view`, gathered by method.

Where callers of different kinds are shown different sizes of the same thing, the answer is one of
several shapes.
"""

from typing import Any, TypeAlias

from subsessiond.model import view

Discovery: TypeAlias = dict[str, Any]
"""The OpenRPC document itself."""

Shape: TypeAlias = tuple[type, ...]
"""One answer, or the alternatives by kind of caller."""

OPEN: Shape = (view.OpenAnswer,)
SPAWN: Shape = (view.SpawnAnswer,)
REPORT: Shape = (view.ReportAnswer,)
ATTACH: Shape = (view.AttachAnswer,)
CHECKPOINT: Shape = (view.CheckpointAnswer,)
RECEIPT: Shape = (view.ReceiptAnswer,)
TREE: Shape = (view.TreeAnswer,)
NODE: Shape = (view.NodeView, view.ChildView)
INBOX: Shape = (view.InboxAnswer,)
UNREAD: Shape = (view.UnreadAnswer,)
STEER: Shape = (view.SteerAnswer,)
CANCEL: Shape = (view.CancelAnswer,)
BLOCKED: Shape = (view.BlockedAnswer,)
HANDOVER: Shape = (view.LetterAnswer, view.SpawnAnswer)
DONE: Shape = (view.NodeAnswer,)
JOURNAL: Shape = (view.JournalAnswer,)
TRANSCRIPT: Shape = (view.TranscriptAnswer,)
LEDGER: Shape = (view.LedgerAnswer,)
SUBSCRIBE: Shape = (view.SubscribeAnswer,)
ROLES: Shape = (view.RolesAnswer,)
ACCEPT: Shape = (view.AcceptAnswer,)
AGENTS: Shape = (view.AgentsAnswer,)
INFO: Shape = (view.InfoAnswer,)
CALLER: Shape = (view.CallerAnswer,)
HEALTH: Shape = (view.HealthAnswer,)
STATS: Shape = (view.StatsAnswer,)
SHUTDOWN: Shape = (view.ShutdownAnswer,)
RELOAD: Shape = (view.ReloadAnswer,)
DISCOVERY: Shape = (dict,)
EVENT: Shape = (view.EventNote,)
"""Of the notification `events.event`, which answers nothing."""
