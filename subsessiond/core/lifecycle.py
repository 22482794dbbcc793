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
from subsessiond.model.node import Status

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
