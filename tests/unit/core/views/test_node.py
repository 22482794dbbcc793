"""`core.views.node`."""

from typing import Any

import msgspec
import pytest

from subsessiond.core.bounds import bytes_of_tokens
from subsessiond.core.views.measure import json_bytes
from subsessiond.core.views.node import child_view, node_view
from subsessiond.model.brief import Brief
from subsessiond.model.checkpoint import CheckpointMark
from subsessiond.model.node import Status
from subsessiond.model.report import Outcome, Report, Stage
from subsessiond.model.usage import Below, Usage
from tests.support.trees import AT_MS, a_node, a_settlement, a_tree

LIMIT = 10_000


def test_the_operator_sees_the_diagnostic_and_a_parent_never() -> None:
    """Diagnostics are the operator's alone."""
    said = a_settlement(Outcome.FAILED, diagnostic="stack of secrets")
    node = a_node(2, status=Status.RELEASED, settlement=said)
    whole = node_view(a_tree([node]), node)
    assert whole.envelope is not None
    assert whole.envelope.diagnostic == "stack of secrets"
    assert b"secrets" not in msgspec.json.encode(child_view(node, LIMIT))


@pytest.mark.scenario("S40")
def test_parent_and_operator_read_what_was_measured() -> None:
    """Also what was told after it had settled; the sums over what is below it beside that."""
    said = a_settlement(measured=Usage(input=5))
    below = Below(measured=Usage(input=2), reporting=1, started=1)
    node = a_node(2, status=Status.SETTLED, settlement=said, measured=Usage(input=7), below=below)
    envelope = node_view(a_tree([node]), node).envelope
    assert envelope is not None
    for view in (envelope, child_view(node, LIMIT)):
        assert view.measured_tokens is not None
        assert view.measured_tokens.input == 7
        assert view.measured_subtree is not None
        assert (view.measured_subtree.input, view.measured_subtree.reporting) == (9, 2)


def test_a_parent_reads_the_last_report_again() -> None:
    """The view of a settled child holds its final whole, with all its fields."""
    said = a_settlement(
        output="the answer",
        sections={"tests": "green"},
        structured={"n": 1},
        open_questions=("why?",),
        files=("a.py",),
    )
    view = child_view(a_node(2, status=Status.RELEASED, settlement=said), LIMIT)
    assert view.output == "the answer"
    assert view.sections == {"tests": "green"}
    assert view.structured == {"n": 1}
    assert view.open_questions == ("why?",)
    assert view.files == ("a.py",)
    assert view.cut == ()


def test_a_live_child_shows_its_newest_report() -> None:
    """Before it settles, parent and operator read again what it said last, with all its fields."""
    newest = Report(stage=Stage.FINDING, output="halfway", sections={"risks": "one"})
    older = Report(stage=Stage.PROGRESS, output="begun", explicit=False)
    node = a_node(2, newest=newest, last_report=older)
    view = child_view(node, LIMIT)
    assert (view.output, view.sections) == ("halfway", {"risks": "one"})
    assert node_view(a_tree([node]), node).last_report == newest


def test_the_largest_report_fits_whole() -> None:
    """A final of 8,000 tokens, the most a contract can allow, is never cut."""
    said = a_settlement(output="x" * bytes_of_tokens(8_000))
    view = child_view(a_node(2, settlement=said), LIMIT)
    assert view.output == said.output
    assert "output" not in view.cut


def test_a_mission_gives_way_to_the_report() -> None:
    """What the parent wrote itself takes what is left, and the view says that it was cut."""
    node = a_node(2, brief=Brief(mission="m" * 4_000_000), settlement=a_settlement(output="words"))
    view = child_view(node, LIMIT)
    assert view.output == "words"
    assert view.cut == ("mission",)
    assert view.mission.endswith("…")
    assert json_bytes(view) <= bytes_of_tokens(LIMIT)


@pytest.mark.parametrize("mark", ["\x00", "\x1f", '"', "\\", "\n", "é", "🙂", "a"])
def test_no_kind_of_character_breaks_the_bound(mark: str) -> None:
    """Characters that JSON writes with six bytes cut the output instead of passing the bound."""
    node = a_node(
        2,
        settlement=a_settlement(output=mark * 24_000, structured=[mark] * 24_000),
        checkpoint=CheckpointMark(line=1, phase=mark * 200, next_step=mark * 400, at_ms=AT_MS),
    )
    assert json_bytes(child_view(node, LIMIT)) <= bytes_of_tokens(LIMIT)


def test_structured_data_that_is_nothing_to_python_is_shown() -> None:
    """Zero, false and an empty object are results."""
    nothings: tuple[Any, ...] = (0, False, {}, [])
    for value in nothings:
        view = child_view(a_node(2, settlement=a_settlement(structured=value)), LIMIT)
        assert view.structured == value


def test_the_operator_sees_no_secret_of_a_root() -> None:
    """The hash of a root's token is in no view."""
    node = a_node(1, None, token_hash="c0ffee" * 8)
    assert b"c0ffee" not in msgspec.json.encode(node_view(a_tree([node]), node))
