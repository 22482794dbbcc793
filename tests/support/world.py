"""What happens to nodes by itself: starts, signs, ends, the timer, a new life of the daemon.

The other half of the playbook's verbs; who asks for something does it in `tests.support.moves`.
"""

from typing import Any, Final

from subsessiond.model.commands import (
    Attach,
    Command,
    ConfirmGone,
    ConfirmStart,
    EndChild,
    EndTurn,
    FailStart,
    MarkDelivered,
    NoteProcess,
    NoteRefusal,
    NoteSign,
    NoteUsage,
    Recover,
    Sweep,
)
from subsessiond.model.ids import MessageId
from subsessiond.model.node import Phase, StopReason
from subsessiond.model.process import ATTACHED, Identity
from subsessiond.model.report import Outcome
from subsessiond.model.usage import Usage
from tests.support.moves import OPERATOR, caller, open_root, spawn, stamps
from tests.support.playbook import Play, Step

IDENTITY: Final = Identity(
    pid=4242, start_ticks=7, boot_id="boot", container="descent", marker="SUBSESSION_NODE=x"
)


def started(label: str, identity: Identity | None = None) -> Step:
    """The agent of a node is up."""
    return lambda now: ConfirmStart(node=now.id(label), identity=identity, **stamps(now))


def not_started(label: str, why: str = "no such program", **fields: Any) -> Step:
    """The agent of a node did not start."""
    return lambda now: FailStart(node=now.id(label), why=why, **stamps(now), **fields)


def noted(label: str, identity: Identity = IDENTITY) -> Step:
    """A process was made for a node."""
    return lambda now: NoteProcess(node=now.id(label), identity=identity, **stamps(now))


def attach(label: str, *, by: str = OPERATOR, pid: int = 77) -> Step:
    """Let a process of somebody's be a child."""
    identity = Identity(
        pid=pid, start_ticks=7, boot_id="boot", container=ATTACHED, marker="SUBSESSION_NODE=x"
    )
    return lambda now: Attach(
        node=now.id(label), identity=identity, caller=caller(now, by), **stamps(now)
    )


def delivered(label: str, *ids: MessageId, read: bool = False) -> Step:
    """Messages, or all there are, were handed to their reader."""

    def step(now: Play) -> Command:
        box = now.tree.mail.get(now.id(label), ())
        return MarkDelivered(
            node=now.id(label),
            message_ids=ids or tuple(message.message_id for message in box),
            read=read,
            **stamps(now),
        )

    return step


def ended(
    label: str,
    outcome: Outcome = Outcome.FAILED,
    stop_reason: StopReason = StopReason.ERROR,
    reason: str = "exit-status",
    **fields: Any,
) -> Step:
    """The run of a child is over."""
    return lambda now: EndChild(
        node=now.id(label),
        outcome=outcome,
        stop_reason=stop_reason,
        reason=reason,
        **stamps(now),
        **fields,
    )


def turn_ended(label: str, diagnostic: str | None = None) -> Step:
    """The turn of a child ended cleanly."""
    return lambda now: EndTurn(node=now.id(label), diagnostic=diagnostic, **stamps(now))


def sign(label: str, word: str = "update", phase: Phase | None = None) -> Step:
    """A child gave a sign of life that is telemetry."""
    return lambda now: NoteSign(node=now.id(label), sign=word, phase=phase, **stamps(now))


def used(label: str, given: int | None = None, output: int | None = None, **more: int) -> Step:
    """The runner of a child knows these running totals of its tokens."""
    usage = Usage(input=given, output=output, **more)
    return lambda now: NoteUsage(node=now.id(label), usage=usage, **stamps(now))


def turned_away(label: str) -> Step:
    """The guard refused one more spawn of a node."""
    return lambda now: NoteRefusal(node=now.id(label), **stamps(now))


def gone(label: str, *leftovers: str, forced: bool = False, watched: bool = False) -> Step:
    """The processes of a node are gone, but for these."""
    return lambda now: ConfirmGone(
        node=now.id(label), leftovers=leftovers, forced=forced, watched=watched, **stamps(now)
    )


def sweep(*attended: str, at_once: bool = False) -> Step:
    """The timer looks for who is silent, and knows of idle roots whose agent still runs."""
    return lambda now: Sweep(
        now=at_once, attended=tuple(now.id(label) for label in attended), **stamps(now)
    )


def recover(label: str, *leftovers: str, forced: bool = False) -> Step:
    """A new life of the daemon looks at a node."""
    return lambda now: Recover(
        node=now.id(label), leftovers=leftovers, forced=forced, **stamps(now)
    )


def at_work(now: Play, *labels: str, role: str = "worker", **fields: Any) -> Play:
    """Open a root and let children of it run; the usual beginning."""
    now = now >> open_root()
    for label in labels:
        now = now >> spawn(label, role=role, **fields) >> started(label)
    return now
