from typing import Any

import msgspec

from subsessiond.model.brief import Brief
from subsessiond.model.report import Report, Stage
from subsessiond.wire.canonical import (
    brief_fingerprint,
    compact_bytes,
    fingerprint,
    json_faults,
    report_fingerprint,
)


def test_the_order_of_keys_makes_no_difference() -> None:
    """Two spellings of one object have one fingerprint."""
    assert fingerprint({"a": 1, "b": [{"c": 1, "d": 2}]}) == fingerprint(
        {"b": [{"d": 2, "c": 1}], "a": 1}
    )


def test_a_fingerprint_is_the_same_in_every_run() -> None:
    """It is stored, so it may not change: this value stands for all of them."""
    assert fingerprint("worker", 1) == (
        "eb2cb61c4de21e9fec5c9bb679fbc7b52790ee94c91ebc2cc3c687e7b689101d"
    )


def test_role_and_brief_both_count() -> None:
    """Another role or another mission is another order."""
    brief = Brief(mission="m")
    other = msgspec.structs.replace(brief, mission="n")
    assert brief_fingerprint("a", brief) == brief_fingerprint("a", Brief(mission="m"))
    assert len({brief_fingerprint("a", brief), brief_fingerprint("b", brief)}) == 2
    assert brief_fingerprint("a", brief) != brief_fingerprint("a", other)


def test_a_key_is_no_content() -> None:
    """Two reports that differ in their keys alone are the same."""
    report = Report(stage=Stage.FINAL, output="x", key="a")
    assert report_fingerprint(report) == report_fingerprint(
        msgspec.structs.replace(report, key="b")
    )
    assert report_fingerprint(report) != report_fingerprint(
        msgspec.structs.replace(report, output="y")
    )


def test_compact_json_has_no_spaces() -> None:
    """Text stays as it is, nothing is escaped that need not be."""
    assert compact_bytes({"a": ["é", 1]}) == '{"a":["é",1]}'.encode()


def test_faults_are_named_in_reading_order() -> None:
    """What stands first is named first, at any depth."""
    value: Any = {"a": ["x\0", {"b": 2**53}], "c": "\0"}
    assert [fault.path for fault in json_faults(value, "s")] == ["s.a[0]", "s.a[1].b", "s.c"]


def test_free_json_may_be_wide_and_64_levels_deep() -> None:
    """Width has no bound here, depth has."""
    deep: Any = "leaf"
    for _ in range(65):
        deep = [deep]
    assert json_faults(list(range(10_000)), "s") == ()
    assert json_faults(deep, "s") == ()
    assert len(json_faults([deep], "s")) == 1
