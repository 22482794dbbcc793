"""The one table of how a node's status may change. Its picture is generated from it."""

from types import MappingProxyType
from typing import Final

from subsessiond.model.events import (
    Event,
    NodeAdmitted,
    NodeReleased,
    NodeSettled,
    NodeStarted,
    RootOpened,
)
from subsessiond.model.node import Author, Node, Settlement, Status

START_FAILED: Final = "start-failed"
"""The reason of a node whose agent did not start."""

PROMOTED: Final = "promoted"
"""The reason of a node whose last words became its final when its turn had ended."""

TRANSITIONS: Final = MappingProxyType(
    {
        (None, RootOpened): Status.RUNNING,
        (None, NodeAdmitted): Status.CLAIMED,
        (Status.CLAIMED, NodeStarted): Status.RUNNING,
        (Status.CLAIMED, NodeSettled): Status.SETTLED,
        (Status.RUNNING, NodeSettled): Status.SETTLED,
        (Status.SETTLED, NodeReleased): Status.RELEASED,
    },
)


def never_ran(node: Node, settlement: Settlement) -> bool:
    """Tell whether a node, as it was before this settlement, was ended before it came up.

    Such a successor does not count: its predecessor can be succeeded again.
    """
    return node.status is Status.CLAIMED and settlement.author is Author.RUNTIME


def surely_not_started(node: Node, settlement: Settlement) -> bool:
    """Tell whether a node's start surely did not happen: not even a process was made."""
    failed = settlement.reason == START_FAILED and never_ran(node, settlement)
    return failed and node.identity is None


def runs_on(node: Node) -> bool:
    """Tell whether a settled node's turn may still run on, as it may after its own final.

    Whoever was promoted has no turn any more, and leftovers of an earlier life have no end.
    """
    said = node.settlement
    if said is None or node.status is not Status.SETTLED or node.is_root or node.leftovers:
        return False
    return said.author is Author.CHILD and said.reason != PROMOTED


class InvariantViolationError(Exception):
    """A bug: what happened to which node; the daemon must not go on from here."""


def next_status(status: Status | None, event: Event) -> Status:
    """Look up where an event leads.

    Raises:
        InvariantViolationError: the table has no such step.
    """
    step = TRANSITIONS.get((status, type(event)))
    if step is None:
        message = f"{type(event).__name__} cannot happen to {event.node} while it is {status}"
        raise InvariantViolationError(message)
    return step
