from typing import Any

import pytest

from subsessiond.model.brief import Brief, FieldFault
from subsessiond.model.policy import Limits
from subsessiond.model.role import Isolation
from subsessiond.wire.brief import parse_brief

LIMITS = Limits()
NODE = "01h" + "z" * 23


def paths(raw: Any, limits: Limits = LIMITS) -> list[str]:
    """Read a bad brief; give the paths of its faults."""
    found = parse_brief(raw, limits)
    assert isinstance(found, tuple), found
    assert all(isinstance(one, FieldFault) for one in found)
    return [one.path for one in found]


def test_a_mission_is_enough() -> None:
    """Everything but the mission is left to the role."""
    assert parse_brief({"mission": "look"}, LIMITS) == Brief(mission="look")


def test_a_whole_brief_is_read() -> None:
    """Each field arrives where it belongs."""
    contract = {
        "requiredSections": ["a"],
        "maxReportTokens": 50,
        "outputSchema": {"type": "object"},
    }
    raw = {
        "briefVersion": 1,
        "mission": "do",
        "title": "t",
        "ownedGlobs": ["src/**"],
        "tokenCap": 20_000,
        "depthAllowance": 0,
        "reportContract": contract,
        "verify": ["files", "scope", "lint"],
        "continues": NODE,
        "deadlineMs": 1,
        "isolation": "worktree",
        "context": ["README.md"],
    }
    brief = parse_brief(raw, LIMITS)
    assert isinstance(brief, Brief)
    assert brief.isolation is Isolation.WORKTREE
    assert brief.report_contract.output_schema == {"type": "object"}
    assert (brief.owned_globs, brief.continues, brief.verify) == (
        ("src/**",),
        NODE,
        ("files", "scope", "lint"),
    )


@pytest.mark.parametrize("version", [True, 1.0, "1", 2])
def test_nothing_but_the_number_one_is_version_one(version: Any) -> None:
    """What Python takes for equal to 1 is another value on the wire."""
    assert paths({"mission": "look", "briefVersion": version}) == ["brief.briefVersion"]


def test_every_bad_field_is_listed_at_once() -> None:
    """One rejection names them all, in both halves of the check."""
    raw = {
        "mission": "x" * 32_769,
        "ownedGlobs": ["a", "b", "c", 4],
        "reportContract": {"maxReportTokens": 49, "outputSchema": {"pattern": "x"}},
        "verify": ["rm -rf /"],
        "secret": "hunter2",
    }
    assert paths(raw) == [
        "brief.ownedGlobs[3]",
        "brief.reportContract.maxReportTokens",
        "brief.verify[0]",
        "brief.secret",
        "brief.mission",
        "brief.reportContract.outputSchema.pattern",
    ]


@pytest.mark.parametrize(
    ("field", "good", "bad"),
    [
        ("title", "x" * 120, "x" * 121),
        ("ownedGlobs", ["g"] * 200, ["g"] * 201),
        ("tokenCap", 1, 0),
        ("depthAllowance", 0, -1),
        ("context", ["c"] * 16, ["c"] * 17),
        ("deadlineMs", 1, 0),
        ("isolation", "shared", "none"),
        ("continues", NODE, NODE.upper()),
        ("briefVersion", 1, 2),
        ("mission", "x" * 32_768, ""),
    ],
)
def test_bounds_hold_on_both_sides(field: str, good: object, bad: object) -> None:
    """The last good value is accepted, the first bad one refused by its field's name."""
    assert isinstance(parse_brief({"mission": "m", field: good}, LIMITS), Brief)
    assert paths({"mission": "m", field: bad}) == [f"brief.{field}"]


@pytest.mark.parametrize(
    ("field", "good", "bad"),
    [
        ("requiredSections", ["s"] * 16, ["s"] * 17),
        ("maxReportTokens", 8_000, 8_001),
        ("outputSchema", {}, "x"),
    ],
)
def test_the_contract_has_bounds(field: str, good: object, bad: object) -> None:
    """The contract's fields are named below it."""
    assert isinstance(parse_brief({"mission": "m", "reportContract": {field: good}}, LIMITS), Brief)
    found = paths({"mission": "m", "reportContract": {field: bad}})
    assert found == [f"brief.reportContract.{field}"]


def test_a_glob_has_512_bytes_at_most() -> None:
    """The place of a long pattern is named."""
    assert isinstance(parse_brief({"mission": "m", "ownedGlobs": ["x" * 512]}, LIMITS), Brief)
    assert paths({"mission": "m", "ownedGlobs": ["a", "x" * 513]}) == ["brief.ownedGlobs[1]"]


@pytest.mark.parametrize("raw", [None, 1, "x", [], True])
def test_a_brief_is_an_object(raw: object) -> None:
    """Anything else is one fault at its root."""
    assert paths(raw) == ["brief"]


def test_the_operator_may_allow_longer_missions() -> None:
    """The bound of the mission comes from the limits."""
    wide = Limits(mission_bytes=40_000)
    assert isinstance(parse_brief({"mission": "x" * 40_000}, wide), Brief)
    assert paths({"mission": "x" * 40_001}, wide) == ["brief.mission"]


def test_a_faulty_mission_is_named_once() -> None:
    """A mission that is wrong in itself is not measured as well."""
    assert paths({"mission": "\0" * 40_000}) == ["brief.mission"]
    assert paths({"mission": "\ud800" * 40_000}) == ["brief.mission"]
