"""`decide` chooses: one command on one tree, under one policy, gives events and an answer."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final, cast

from subsessiond.core.attach import decide_attach
from subsessiond.core.cancel import decide_cancel, decide_close
from subsessiond.core.checkpoint import decide_checkpoint
from subsessiond.core.dismiss import decide_dismiss
from subsessiond.core.end import (
    decide_end_child,
    decide_end_turn,
    decide_note_refusal,
    decide_note_sign,
)
from subsessiond.core.inbox import decide_acknowledge, decide_delivered
from subsessiond.core.open import decide_open
from subsessiond.core.recover import decide_recover
from subsessiond.core.release import decide_gone, decide_release
from subsessiond.core.report import decide_report
from subsessiond.core.spawn import decide_spawn
from subsessiond.core.start import decide_confirm_start, decide_fail_start, decide_note_process
from subsessiond.core.steer import decide_steer
from subsessiond.core.succeed import decide_succeed
from subsessiond.core.sweep import decide_sweep
from subsessiond.core.usage import decide_note_usage
from subsessiond.model.commands import (
    Acknowledge,
    Attach,
    Cancel,
    CloseRoot,
    Command,
    ConfirmGone,
    ConfirmStart,
    Dismiss,
    EndChild,
    EndTurn,
    FailStart,
    MarkDelivered,
    NoteProcess,
    NoteRefusal,
    NoteSign,
    NoteUsage,
    OpenRoot,
    Recover,
    Release,
    SaveCheckpoint,
    Spawn,
    Steer,
    SubmitReport,
    Succeed,
    Sweep,
)
from subsessiond.model.decision import Decided
from subsessiond.model.policy import Policy
from subsessiond.model.rejection import Rejection
from subsessiond.model.tree import Tree


def decide(tree: Tree, policy: Policy, command: Command) -> Decided:
    """Decide one command.

    Returns:
        The events that happen (maybe none), the tree after them, and the answer: a reply or a
        refusal. Total: every command has an answer in every state of the tree.
    """
    verdict = DECISIONS[type(command)](tree, policy, command)
    if isinstance(verdict, Rejection):
        return Decided(tree=tree, reply=verdict)
    return verdict


_Decide = Callable[[Tree, Policy, Any], Decided | Rejection]
DECISIONS: Final[Mapping[type[Command], _Decide]] = cast(
    "Mapping[type[Command], _Decide]",
    MappingProxyType(
        {
            OpenRoot: decide_open,
            Spawn: decide_spawn,
            SubmitReport: decide_report,
            SaveCheckpoint: decide_checkpoint,
            Succeed: decide_succeed,
            Steer: decide_steer,
            Cancel: decide_cancel,
            CloseRoot: decide_close,
            Acknowledge: decide_acknowledge,
            MarkDelivered: decide_delivered,
            Dismiss: decide_dismiss,
            Release: decide_release,
            Attach: decide_attach,
            NoteProcess: decide_note_process,
            ConfirmStart: decide_confirm_start,
            FailStart: decide_fail_start,
            EndChild: decide_end_child,
            EndTurn: decide_end_turn,
            NoteSign: decide_note_sign,
            NoteUsage: decide_note_usage,
            NoteRefusal: decide_note_refusal,
            ConfirmGone: decide_gone,
            Sweep: decide_sweep,
            Recover: decide_recover,
        },
    ),
)
