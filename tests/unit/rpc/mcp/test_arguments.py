from typing import Any

import pytest

from subsessiond.model.brief import FieldFault
from subsessiond.rpc.mcp.arguments import flat_path, read_arguments
from subsessiond.rpc.mcp.table import CHECKPOINT, INBOX, REPORT, SPAWN, Tool

HALF = "\ud83d"


@pytest.mark.parametrize(
    ("tool", "arguments", "params"),
    [
        (CHECKPOINT, {"phase": "a", "odd": None}, {"phase": "a", "odd": None}),
        (INBOX, {"acknowledge": False, "waitMs": 5}, {"waitMs": 5}),
        (INBOX, {"acknowledge": True}, {"acknowledge": True}),
        (REPORT, {"sections": {"a": "b"}}, {"sections": {"a": "b"}}),
        (REPORT, {"sections": "a: b"}, {"sections": "a: b"}),
        (REPORT, {"sections": []}, {"sections": {}}),
        (REPORT, {"structured": HALF}, {"structured": HALF}),
        (SPAWN, {"role": "r", "mission": "m"}, {"role": "r", "brief": {"mission": "m"}}),
        (
            SPAWN,
            {"waitMs": 1, "maxReportTokens": 99, "odd": 1},
            {"waitMs": 1, "brief": {"odd": 1, "reportContract": {"maxReportTokens": 99}}},
        ),
        (
            SPAWN,
            {"outputSchema": {"type": "object"}},
            {"brief": {"reportContract": {"outputSchema": {"type": "object"}}}},
        ),
    ],
)
def test_what_is_flat_becomes_what_the_method_takes(
    tool: Tool, arguments: Any, params: Any
) -> None:
    """Every field goes to its place, known or not; what the method is to refuse is left alone."""
    given = dict(arguments)
    assert read_arguments(tool, given) == params
    assert given == arguments


def test_only_what_cannot_be_read_is_refused_here() -> None:
    """All of it at once, each by its place."""
    read = read_arguments(REPORT, {"structured": "{", "sections": ["a", "b: c", "b: d"]})
    assert isinstance(read, tuple)
    assert [fault.path for fault in read] == ["structured", "sections[0]", "sections[2]"]
    assert all(isinstance(fault, FieldFault) for fault in read)


@pytest.mark.parametrize(
    ("path", "flat"),
    [
        ("brief.reportContract.maxReportTokens", "maxReportTokens"),
        ("brief.ownedGlobs[3]", "ownedGlobs[3]"),
        ("params.arguments.output", "output"),
        ("brief", "arguments"),
        ("brief.reportContract", "arguments"),
        ("tokenCap", "tokenCap"),
        ("", ""),
    ],
)
def test_a_bad_field_is_named_as_it_was_written(path: str, flat: str) -> None:
    """The model knows nothing of what a flat field is part of."""
    assert flat_path(path) == flat
