"""The agents and bridges of roots, as the history tells of them: they outlive the trees."""

import sqlite3
from typing import Any, Final

import msgspec

from subsessiond.model.events import AnyEvent, RootJoined, RootOpened, RootResumed
from subsessiond.model.process import Identity
from subsessiond.ports import Agent

MOST: Final = 10_000
"""Read back at most, the newest: more than run at one time on any machine."""

_decode = msgspec.json.Decoder(RootOpened | RootResumed | RootJoined).decode
_EVENTS: Final = (
    "SELECT body FROM events WHERE type IN ('RootOpened', 'RootResumed', 'RootJoined')"
    " ORDER BY seq DESC LIMIT ?"
)


def read_agents(db: sqlite3.Connection) -> tuple[Agent, ...]:
    """Read whose process each agent and bridge was, oldest first."""
    found: list[Agent] = []
    for (body,) in db.execute(_EVENTS, (MOST,)):
        event: Any = _decode(body)
        identity = process_of(event)
        if identity is not None:
            found.append((event.node, identity))
    return tuple(reversed(found))


def process_of(event: AnyEvent) -> Identity | None:
    """Give the process that speaks as a root from an event on; none where it tells of none."""
    match event:
        case RootOpened(record=record):
            return record.identity
        case RootResumed(agent=agent):
            return agent
        case RootJoined(bridge=bridge):
            return bridge
        case _:
            return None
