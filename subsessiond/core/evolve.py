"""`evolve` remembers: one event, one new tree. It never refuses; what cannot be is a bug."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final, cast

from msgspec.structs import replace

from subsessiond.core import fold_life, fold_words
from subsessiond.model.events import (
    AnyEvent,
    CancelRequested,
    CheckpointSaved,
    Dismissed,
    Event,
    FinalAsked,
    LateReportKept,
    LeftoversFound,
    MailForwarded,
    MessagesMoved,
    MessageStaged,
    NodeAdmitted,
    NodeReleased,
    NodeSettled,
    NodeStarted,
    ProcessNoted,
    RefusalNoted,
    ReportAccepted,
    RootJoined,
    RootOpened,
    RootResumed,
    SignSeen,
    SilenceMarked,
    TreeForgotten,
    UsageMeasured,
    UsageSeen,
    WrapUpAsked,
)
from subsessiond.model.tree import Tree


def evolve(tree: Tree, event: AnyEvent) -> Tree:
    """Fold one event into the tree.

    Raises:
        InvariantViolationError: the event speaks of something that cannot be.
    """
    grown = FOLDS[type(event)](tree, event)
    return replace(grown, seq=event.seq) if event.durable else grown


_Fold = Callable[[Tree, Any], Tree]
FOLDS: Final[Mapping[type[Event], _Fold]] = cast(
    "Mapping[type[Event], _Fold]",
    MappingProxyType(
        {
            RootOpened: fold_life.root_opened,
            RootResumed: fold_life.root_resumed,
            RootJoined: fold_life.root_joined,
            NodeAdmitted: fold_life.node_admitted,
            ProcessNoted: fold_life.process_noted,
            NodeStarted: fold_life.node_started,
            ReportAccepted: fold_words.report_accepted,
            LateReportKept: fold_words.late_report_kept,
            CheckpointSaved: fold_words.checkpoint_saved,
            MessageStaged: fold_words.message_staged,
            MessagesMoved: fold_words.messages_moved,
            MailForwarded: fold_words.mail_forwarded,
            NodeSettled: fold_life.node_settled,
            NodeReleased: fold_life.node_released,
            LeftoversFound: fold_life.leftovers_found,
            CancelRequested: fold_life.cancel_requested,
            FinalAsked: fold_words.final_asked,
            WrapUpAsked: fold_words.wrap_up_asked,
            Dismissed: fold_words.dismissed,
            SilenceMarked: fold_words.silence_marked,
            SignSeen: fold_words.sign_seen,
            UsageSeen: fold_words.usage_seen,
            UsageMeasured: fold_words.usage_measured,
            RefusalNoted: fold_words.refusal_noted,
            TreeForgotten: fold_life.tree_forgotten,
        },
    ),
)
