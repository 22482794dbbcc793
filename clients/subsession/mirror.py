"""A copy of the tree's rows that is kept current by what changed.

Owns paging and cursors of `subsession.tree`; it knows nothing of how rows are shown. The steps are
a generator of calls, so that the sync and the async client can drive the same ones.
"""

import time
from collections.abc import Generator, Iterable
from dataclasses import dataclass, field

from subsession.frames import LONGEST_WAIT_MS
from subsession.verbs import Json

PAGE_ROWS = 2_000
"""The most rows the daemon gives at once."""
LIVE_STATES = ("claimed", "running")


@dataclass(frozen=True)
class Ask:
    """One call to make; its result is sent into the generator."""

    method: str
    params: Json


Steps = Generator[Ask, Json, None]


@dataclass
class Mirror:
    """Rows of the tree by node id, in order of their ids."""

    root_id: str | None = None
    """Only this root's tree; absent: all."""
    rows: dict[str, Json] = field(default_factory=dict)
    seq: int | None = None
    """The last event that is in it."""

    def refresh(self, wait_ms: int = 0) -> Steps:
        """Take in what changed, waiting up to `wait_ms` for a change; the first time all of it."""
        changes = yield self._ask(self.seq, None, wait_ms if self.seq is not None else 0)
        if changes.get("resync") and self.seq is not None:
            changes = yield self._ask(None, None, 0)
            self.rows.clear()
        since = self.seq if not changes.get("resync") else None
        self._take(changes)
        while after := changes.get("next"):
            changes = yield self._ask(since, str(after), 0)
            self._take(changes, first=False)

    def _ask(self, since: int | None, after: str | None, wait_ms: int) -> Ask:
        params = {
            "rootId": self.root_id,
            "sinceSeq": since,
            "after": after,
            "limit": PAGE_ROWS,
            "waitMs": min(wait_ms, LONGEST_WAIT_MS) or None,
        }
        return Ask("subsession.tree", params)

    def _take(self, changes: Json, *, first: bool = True) -> None:
        for row in changes.get("rows", ()):
            self.rows[str(row["nodeId"])] = row
        # Why the first page's number: what changes while pages are read comes again next time.
        if first:
            self.seq = int(changes["seq"])

    def is_settled(self, node_id: str) -> bool:
        """Tell whether a node is known and not live any more."""
        row = self.rows.get(node_id)
        return row is not None and row.get("state") not in LIVE_STATES


def wait_settled(
    mirror: Mirror, node_ids: Iterable[str], *, any_of: bool, timeout_ms: int | None
) -> Steps:
    """Keep a mirror current until these nodes have settled, or the time is over.

    Args:
        mirror: knows afterwards which have settled.
        node_ids: the nodes to wait for.
        any_of: stop at the first that settles.
        timeout_ms: how long to wait at most; None: as long as it takes.
    """
    names = tuple(node_ids)
    deadline = None if timeout_ms is None else time.monotonic() + timeout_ms / 1_000
    yield from mirror.refresh()
    while not (any if any_of else all)(map(mirror.is_settled, names)):
        left_ms = LONGEST_WAIT_MS // 2
        if deadline is not None:
            left_ms = min(left_ms, int((deadline - time.monotonic()) * 1_000))
        if left_ms <= 0:
            return
        yield from mirror.refresh(left_ms)
