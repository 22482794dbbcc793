"""Rows, views and settings for tests of the command line."""

from subsession.verbs import Json
from tests.support.fake_daemon import Refuse

ROOT, CHILD = "0" * 20 + "r00t01", "0" * 20 + "ch1d01"


def child_row(outcome: str | None = "completed", **more: object) -> Json:
    """Give the row of a child, settled or live."""
    settled = {"outcome": outcome, "reason": "final-report", "settledAt": 5_000}
    return {
        "nodeId": CHILD,
        "parentId": ROOT,
        "seq": 7,
        "title": "lint",
        "state": "released" if outcome else "running",
        "role": "check",
        "declaredTokenCap": 20_000,
        "measuredTokens": None,
        "claimedAt": 1_000,
        **(settled if outcome else {}),
        **more,
    }


def view(row: Json, **envelope: object) -> Json:
    """Give the operator's view of a node."""
    record = {**row, "author": "child", "output": "all is well", **envelope}
    found: Json = {"row": row, "workspace": "/w", "owns": [], "unread": 0}
    return {**found, "envelope": record} if row.get("outcome") else found


def refuse(params: Json) -> Json:
    """Refuse whatever it is."""
    raise Refuse(
        1008,
        "as many nodes live as are allowed",
        code="CONCURRENCY_EXCEEDED",
        step="concurrency",
        retryable=True,
        limit=5,
        actual=5,
    )
