"""`rpc.schema`."""

import time
from typing import Any

import pytest

from subsessiond.rpc.schema import schema_fault
from subsessiond.wire.outputschema import schema_faults

GOOD_AND_BAD: tuple[tuple[dict[str, Any], Any, Any], ...] = (
    ({"type": "string"}, "a", 1),
    ({"type": "integer"}, 1, True),
    ({"type": "integer"}, 1.0, 1.5),
    ({"type": "number"}, 1.5, "1"),
    ({"type": "boolean"}, False, 0),
    ({"type": "null"}, None, 0),
    ({"type": ["array", "null"]}, None, {}),
    ({"enum": ["a", 1]}, 1, True),
    ({"const": {"a": [1]}}, {"a": [1.0]}, {"a": [2]}),
    ({"minimum": 3}, 3, 2),
    ({"maximum": 3}, "not a number", 4),
    ({"exclusiveMinimum": 3}, 4, 3),
    ({"exclusiveMaximum": 3}, 2, 3),
    ({"multipleOf": 3}, 9, 10),
    ({"multipleOf": 0.1}, 0.3, 0.35),
    ({"minLength": 2}, "🙂🙂", "🙂"),
    ({"maxLength": 2}, "ab", "abc"),
    ({"minItems": 1}, [0], []),
    ({"maxItems": 1}, [0], [0, 1]),
    ({"minProperties": 1}, {"a": 1}, {}),
    ({"maxProperties": 1}, {"a": 1}, {"a": 1, "b": 2}),
    ({"uniqueItems": True}, [1, True, "1"], [1, 1.0]),
    ({"required": ["a"]}, {"a": None}, {"b": 1}),
    ({"required": ["a"], "uniqueItems": True}, "text", {}),
    ({"uniqueItems": False, "maxItems": 2}, [1, 1], [1, 1, 1]),
    ({"properties": {"a": False}}, {"b": 1}, {"a": 1}),
    ({"enum": [[1, {"a": None}]]}, [1, {"a": None}], [1, {"b": None}]),
    ({"properties": {"a": {"type": "string"}}}, {"b": 1}, {"a": 1}),
    ({"properties": {"a": True}, "additionalProperties": False}, {"a": 1}, {"b": 1}),
    ({"items": {"type": "string"}}, ["a"], ["a", 1]),
    ({"prefixItems": [{"type": "string"}], "items": {"type": "integer"}}, ["a", 1], ["a", "b"]),
    ({"contains": {"const": 1}}, [0, 1], [0]),
    ({"contains": {"const": 1}, "minContains": 0, "maxContains": 1}, [], [1, 1]),
    ({"allOf": [{"minimum": 1}, {"maximum": 2}]}, 2, 3),
    ({"anyOf": [{"type": "string"}, {"minimum": 5}]}, 6, 4),
    ({"oneOf": [{"minimum": 1}, {"maximum": 2}]}, 3, 2),
    ({"not": {"type": "string"}}, 1, "a"),
    ({"if": {"type": "string"}, "then": {"minLength": 2}, "else": {"minimum": 9}}, 9, "a"),
    ({"if": {"type": "string"}, "else": {"minimum": 9}}, "a", 1),
    ({"dependentSchemas": {"a": {"required": ["b"]}}}, {"a": 1, "b": 2}, {"a": 1}),
    ({"$defs": {"x": {"type": "string"}}, "$ref": "#/$defs/x"}, "a", 1),
)


@pytest.mark.parametrize(("schema", "good", "bad"), GOOD_AND_BAD)
def test_data_is_held_against_every_keyword(schema: dict[str, Any], good: Any, bad: Any) -> None:
    """Each keyword of the subset lets pass what it allows and names what it does not."""
    assert schema_faults(schema, "schema") == ()
    assert schema_fault(schema, good) is None
    found = schema_fault(schema, bad)
    assert found is not None
    assert found.startswith("structured")


def test_the_place_of_a_fault_is_named_and_its_value_is_not() -> None:
    """A fault says where it is; names that are no plain words, and all values, stay out of it."""
    schema = {"additionalProperties": {"items": {"type": "integer"}}}
    assert schema_fault(schema, {"a": [1, "hunter2"]}) == "structured.a[1] must be integer"
    found = schema_fault(schema, {"my secret": ["x"]})
    assert found == "structured.(unnamed)[0] must be integer"


def test_a_schema_made_to_explode_ends() -> None:
    """Alternatives nested in alternatives end at the bound on steps, and that is a fault."""
    schema: Any = {"type": "integer"}
    for _ in range(20):
        schema = {"anyOf": [schema, schema]}
    assert schema_fault(schema, "x") == (
        "structured takes too many steps to be held against the schema"
    )


NAMES = [f"n{number}" for number in range(1_500)]


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        ({"allOf": [{"uniqueItems": True}] * 600}, [{"a": n} for n in range(499)]),
        ({"allOf": [{"enum": [[1] * 4_000, 2]}] * 200}, [1] * 4_000),
        ({"items": {"allOf": [{"required": NAMES}]}}, [dict.fromkeys(NAMES, 1)] * 1_000),
        ({"allOf": [{"additionalProperties": True}] * 700}, {str(n): 1 for n in range(2_000)}),
        ({"items": {"anyOf": [{"const": [1] * 5_000}] * 40}}, [[1] * 4_999 + [n] for n in (1, 2)]),
    ],
)
def test_every_comparison_and_every_name_is_a_step(schema: dict[str, Any], value: Any) -> None:
    """What is cheap once is dear a thousand times; a second is never reached."""
    began = time.process_time()
    found = schema_fault(schema, value)
    assert time.process_time() - began < 2
    assert found is None or "too many steps" in found or "fits none" in found


def test_very_many_entries_are_not_compared_with_each_other() -> None:
    """Uniqueness of a long list would take the square of its length, and is refused instead."""
    found = schema_fault({"uniqueItems": True}, list(range(9_000)))
    assert found is not None
    assert "too many steps" in found
