import pytest

from subsessiond.wire.faults import MOST_FAULTS, UNNAMED, join_path, read_fields
from subsessiond.wire.params import HandoverParams, InboxParams, NoParams, SteerParams

NODE = "0" * 26


def test_a_path_names_fields_and_places() -> None:
    """Fields are joined by dots and places stand in brackets."""
    assert join_path("brief", "ownedGlobs", 3) == "brief.ownedGlobs[3]"


@pytest.mark.parametrize("key", ["sk-ant-123", "a b", "x" * 41, "a\nb", "", "ключ"])
def test_a_key_that_is_no_word_is_not_repeated(key: str) -> None:
    """What stands in a key's place may be a value in the wrong place."""
    assert join_path("brief", key) == f"brief.{UNNAMED}"


def test_every_bad_field_is_named_once_and_no_value_is_repeated() -> None:
    """All faults come together, by path, without anything the caller sent."""
    raw = {"nodeId": "hunter2", "action": "hunter2", "grants": {"globs": ["a", "hunter2\n"]}}
    faults = read_fields(HandoverParams, {**raw, "hunter2": 1})
    assert isinstance(faults, tuple)
    assert [fault.path for fault in faults] == ["nodeId", "action", "grants.globs[1]", "hunter2"]
    assert not any("hunter2" in fault.problem for fault in faults)


@pytest.mark.parametrize(
    ("given", "path"),
    [
        (False, "acknowledge"),
        (1, "acknowledge"),
        (1.0, "acknowledge"),
        (["x"], "acknowledge[0]"),
        ("x", "acknowledge"),
        (None, "acknowledge"),
    ],
)
def test_a_choice_of_shapes_is_named_by_its_field(given: object, path: str) -> None:
    """The branch of a union is no part of a path."""
    faults = read_fields(InboxParams, {"acknowledge": given})
    assert isinstance(faults, tuple)
    assert [fault.path for fault in faults] == [path]


def test_a_flood_of_bad_fields_is_counted_and_not_listed() -> None:
    """More bad fields than anyone reads are told as one number."""
    faults = read_fields(NoParams, {f"k{i}": i for i in range(MOST_FAULTS + 1)})
    assert isinstance(faults, tuple)
    assert [fault.path for fault in faults] == ["params"]
    assert str(MOST_FAULTS + 1) in faults[0].problem


def test_text_that_is_no_unicode_is_named() -> None:
    """An unpaired surrogate is refused with its field, wherever it came from."""
    faults = read_fields(SteerParams, {"nodeId": NODE, "text": "a\ud800"})
    assert isinstance(faults, tuple)
    assert (faults[0].path, faults[0].problem) == ("text", "holds an unpaired surrogate")


@pytest.mark.scenario("S20")
def test_an_endless_list_is_not_looked_at() -> None:
    """Of a million bad entries not even the first is looked for."""
    found = read_fields(InboxParams, {"acknowledge": [1] * 1_000_000})
    assert isinstance(found, tuple)
    assert [(one.path, one.problem) for one in found] == [("acknowledge", "has 1000000 entries")]


def test_an_endless_list_of_an_unknown_field_is_an_unknown_field() -> None:
    """Only fields there are can be too long; any other is not known, however long."""
    found = read_fields(InboxParams, {"sent": [1] * 1_000_000, "acknowledge": [1] * 60_000})
    assert isinstance(found, tuple)
    assert [(one.path, one.problem) for one in found] == [("acknowledge", "has 60000 entries")]
    unknown = read_fields(InboxParams, {"sent": [1] * 1_000_000})
    assert isinstance(unknown, tuple)
    assert [(one.path, one.problem) for one in unknown] == [("sent", "is not a known field")]
