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


def figures(**more: object) -> Json:
    """Give the row of a child in the context ledger."""
    return {
        "nodeId": CHILD,
        "rootId": ROOT,
        "parentId": ROOT,
        "title": "lint",
        "transcriptBytes": 250_000,
        "transcriptEstimatedTokens": 83_334,
        "shownBytes": 1_000,
        "shownEstimatedTokens": 334,
        "ratio": 0.004,
        **more,
    }


def sums(**more: object) -> Json:
    """Give the sums of a root in it, with nothing beside them."""
    beside = {"generalBytes": 0, "againBytes": 0, "definitionBytes": None}
    found = {**figures(title="site"), "children": 1, "counted": 1, **beside, **more}
    return {name: value for name, value in found.items() if name not in ("nodeId", "parentId")}


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
