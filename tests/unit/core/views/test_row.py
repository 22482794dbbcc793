"""`core.views.row`."""

from typing import Any

import msgspec
import pytest

from subsessiond.core.views.measure import json_bytes
from subsessiond.core.views.row import CHILD_ROW_BYTES, child_row, row_of
from subsessiond.model.checkpoint import CheckpointMark
from subsessiond.model.node import Phase, Status
from subsessiond.model.report import Outcome
from subsessiond.model.role import Role
from subsessiond.model.usage import Below, Usage
from subsessiond.model.view import Row
from tests.support.trees import AT_MS, a_node, a_settlement, node_id

MOST = 2**53 - 1


def shown(row: object) -> dict[str, object]:
    """Give what is on the wire."""
    return msgspec.json.decode(msgspec.json.encode(row), type=dict[str, object])


@pytest.mark.scenario("S40")
def test_a_row_says_that_tokens_were_not_measured() -> None:
    """A row carries the declared cap and, as long as nothing is metered, null and not a zero."""
    row = shown(row_of(a_node(2, token_cap=7)))
    assert row["declaredTokenCap"] == 7
    assert row["measuredTokens"] is None
    assert row["measuredSubtree"] is None


@pytest.mark.scenario("S40")
def test_a_row_shows_what_was_measured_and_of_how_many() -> None:
    """A figure that the agent does not report is null beside those that it does."""
    below = Below(measured=Usage(input=90, output=9, cache_write=3), reporting=2, started=4)
    node = a_node(2, started_at_ms=1, measured=Usage(input=10, output=1), below=below)
    row = shown(row_of(node))
    own = {"input": 10, "cacheRead": None, "cacheWrite": None, "output": 1}
    assert row["measuredTokens"] == own
    assert row["measuredSubtree"] == {
        "input": 100,
        "cacheRead": None,
        "cacheWrite": 3,
        "output": 10,
        "reporting": 3,
        "started": 5,
    }


@pytest.mark.scenario("S40")
def test_what_is_below_a_silent_node_is_not_its_own() -> None:
    """A root, and a mother whose agent reports nothing, show the sums alone."""
    below = Below(measured=Usage(input=90), reporting=1, started=1)
    row = shown(row_of(a_node(1, parent=None, below=below)))
    assert row["measuredTokens"] is None
    subtree = row["measuredSubtree"]
    assert isinstance(subtree, dict)
    assert (subtree["input"], subtree["reporting"], subtree["started"]) == (90, 1, 1)


@pytest.mark.scenario("S31")
@pytest.mark.parametrize("stamp", [None, 0, -1])
def test_a_missing_stamp_is_absent(stamp: int | None) -> None:
    """A start stamp that is missing, zero or negative is unknown: no time, no elapsed time."""
    node = a_node(2, started_at_ms=stamp, settled_at_ms=AT_MS, settlement=a_settlement())
    row = shown(row_of(node))
    assert "startedAt" not in row
    assert "elapsedMs" not in row


def test_elapsed_time_is_frozen_at_settling() -> None:
    """Elapsed time runs from start to settling, whatever happens afterwards."""
    node = a_node(
        2,
        status=Status.RELEASED,
        started_at_ms=AT_MS,
        settled_at_ms=AT_MS + 70,
        released_at_ms=AT_MS + 900,
        settlement=a_settlement(),
    )
    assert row_of(node).elapsed_ms == 70


def test_a_clock_set_back_gives_no_elapsed_time() -> None:
    """A child that settled before it started, by the wall clock, has no elapsed time."""
    node = a_node(2, started_at_ms=AT_MS, settled_at_ms=AT_MS - 1, settlement=a_settlement())
    assert row_of(node).elapsed_ms is None


def test_a_settled_node_is_stopping_until_it_is_released() -> None:
    """Between settled and released a node is stopping; a released one is not."""
    settled = a_node(2, status=Status.SETTLED, settlement=a_settlement())
    released = a_node(2, status=Status.RELEASED, settlement=a_settlement())
    cancelled = a_node(2, stopping=True)
    assert row_of(settled).stopping
    assert not row_of(released).stopping
    assert row_of(cancelled).stopping


def test_a_settled_node_has_no_phase() -> None:
    """The phase is telemetry of a live child and goes with it."""
    live, gone = (
        a_node(2, phase=Phase.IN_TOOL),
        a_node(2, phase=Phase.IN_TOOL, status=Status.SETTLED),
    )
    assert row_of(live).phase is Phase.IN_TOOL
    assert row_of(gone).phase is None


@pytest.mark.parametrize(
    ("fields", "blocked"),
    [
        ({}, True),
        ({"dismissed": True}, False),
        ({"successor": node_id(3)}, False),
        ({"settlement": a_settlement(Outcome.FAILED)}, False),
        ({"settlement": None}, False),
    ],
)
def test_blocked_is_what_still_waits_for_a_person(fields: dict[str, Any], blocked: bool) -> None:
    """A blocked final counts until it is dismissed or somebody goes on with it."""
    made = {"settlement": a_settlement(Outcome.BLOCKED), **fields}
    node = a_node(2, status=Status.RELEASED, **made)
    assert row_of(node).blocked is blocked
    assert child_row(node).blocked is blocked


def test_the_checkpoint_of_a_row_is_a_pointer() -> None:
    """A row points at the newest checkpoint and quotes nothing of it."""
    mark = CheckpointMark(line=4, phase="secret words", next_step="more", at_ms=AT_MS)
    row = row_of(a_node(2, checkpoint=mark))
    pointer = f"workspaceFile:.subsession/journals/{node_id(2)}.journal.jsonl#4"
    assert row.checkpoint == pointer
    assert "secret" not in msgspec.json.encode(row).decode()


def test_the_largest_row_of_a_child_still_has_room_for_a_title() -> None:
    """With the largest number in every field and the longest words, 400 bytes are kept."""
    node = a_node(
        2,
        title="t" * 500,
        seq=MOST,
        token_cap=MOST,
        claimed_at_ms=MOST,
        settled_at_ms=MOST,
        last_sign_ms=MOST,
        reports=MOST,
        status=Status.RELEASED,
        role=Role(name='"' * 500, tier="x"),
        successor=node_id(3),
        settlement=a_settlement(Outcome.CANCELLED, reason="\x01" * 500),
    )
    row = child_row(node)
    assert json_bytes(row) <= CHILD_ROW_BYTES
    assert row.title


def test_an_ordinary_title_is_shown_whole() -> None:
    """A title as long as a brief may give it fits into an ordinary row."""
    node = a_node(2, title="x" * 110, role=Role(name="worker", tier="x"), last_sign_ms=AT_MS)
    assert child_row(node).title == "x" * 110


@pytest.mark.scenario("S18")
def test_a_title_is_cut_between_characters() -> None:
    """A title of characters of four bytes is cut to its bound without breaking one."""
    for offset in range(4):
        row = child_row(a_node(2, title="a" * offset + "🙂" * 200))
        assert json_bytes(row) <= CHILD_ROW_BYTES
        assert "\ufffd" not in row.title


def test_a_parent_is_not_shown_what_a_child_was_last_seen_doing() -> None:
    """The words of a sign of life are the child's own and stay with the operator."""
    node = a_node(2, last_sign="tool: read /etc/passwd", last_sign_ms=AT_MS)
    assert isinstance(row_of(node), Row)
    assert row_of(node).last_sign == "tool: read /etc/passwd"
    assert "passwd" not in msgspec.json.encode(child_row(node)).decode()
