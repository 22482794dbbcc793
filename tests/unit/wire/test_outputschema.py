from typing import Any

import pytest

from subsessiond.wire.outputschema import MOST_BYTES, resolve, schema_faults


def paths(schema: dict[str, Any]) -> list[str]:
    """Give the paths of what is outside the subset."""
    return [fault.path for fault in schema_faults(schema, "s")]


def test_an_ordinary_schema_passes() -> None:
    """Types, bounds, names, choices and local references are in the subset."""
    schema = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": ["object", "null"],
        "required": ["a"],
        "additionalProperties": False,
        "properties": {
            "a": {"type": "integer", "minimum": 0, "multipleOf": 0.5},
            "b": {"type": "array", "items": {"$ref": "#/$defs/x"}, "maxItems": 3},
            "pattern": {"enum": [1, None]},
            "c": {"anyOf": [True, {"const": {"pattern": "free"}}]},
            "d": {"uniqueItems": True, "prefixItems": [{}], "not": {}, "description": "d"},
        },
        "$defs": {"x": {"$ref": "#/$defs/a~1b"}, "a/b": {"minLength": 1}},
    }
    assert paths(schema) == []


@pytest.mark.parametrize(
    ("schema", "path"),
    [
        ({"pattern": "(a+)+$"}, "s.pattern"),
        ({"patternProperties": {}}, "s.patternProperties"),
        ({"properties": {"a": {"pattern": "x"}}}, "s.properties.a.pattern"),
        ({"requird": ["a"]}, "s.requird"),
        ({"$ref": "https://example.org/s.json"}, "s.$ref"),
        ({"$ref": "other.json#/x"}, "s.$ref"),
        ({"$ref": "#/$defs/none"}, "s.$ref"),
        ({"$ref": "#anchor"}, "s.$ref"),
        ({"$ref": 1}, "s.$ref"),
        ({"anyOf": []}, "s.anyOf"),
        ({"anyOf": [1]}, "s.anyOf[0]"),
        ({"properties": []}, "s.properties"),
        ({"items": "x"}, "s.items"),
        ({"type": "text"}, "s.type"),
        ({"type": []}, "s.type"),
        ({"enum": []}, "s.enum"),
        ({"required": [1]}, "s.required"),
        ({"minimum": True}, "s.minimum"),
        ({"multipleOf": 0}, "s.multipleOf"),
        ({"minLength": -1}, "s.minLength"),
        ({"uniqueItems": 1}, "s.uniqueItems"),
        ({"title": 1}, "s.title"),
        ({"const": "a\0"}, "s.const"),
    ],
)
def test_what_is_outside_the_subset_is_named(schema: dict[str, Any], path: str) -> None:
    """Each keyword that cannot be evaluated in bounds, or is wrong, is refused by its path."""
    assert paths(schema) == [path]


@pytest.mark.parametrize(
    "schema",
    [
        {"$ref": "#"},
        {"items": {"$ref": "#"}},
        {"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}},
        {"properties": {"a": {"$ref": "#/properties/a"}}},
        {"$ref": "#/$defs/a", "$defs": {"a": {"items": {"allOf": [{"$ref": "#/$defs/a"}]}}}},
    ],
)
def test_a_reference_may_not_lead_back_to_itself(schema: dict[str, Any]) -> None:
    """Circles of references are refused: their depth has no bound."""
    assert paths(schema) == ["s"]


def test_a_reference_used_twice_is_no_circle() -> None:
    """Sharing a definition is allowed."""
    shared = {"$ref": "#/$defs/a"}
    assert paths({"prefixItems": [shared, shared], "$defs": {"a": {"type": "string"}}}) == []


def test_a_reference_out_of_free_data_is_seen() -> None:
    """A reference into a `const` is followed like any other."""
    circle = {"$ref": "#/const", "const": {"$ref": "#"}}
    assert paths(circle) == ["s"]


def test_size_is_judged_before_shape() -> None:
    """A schema beyond 16 KiB is refused whole."""
    assert paths({"const": "x" * MOST_BYTES, "pattern": "x"}) == ["s"]


def test_depth_is_judged() -> None:
    """A schema nested deeper than free JSON may be is refused."""
    schema: dict[str, Any] = {}
    for _ in range(70):
        schema = {"not": schema}
    assert len(paths(schema)) == 1


def test_a_reference_escapes_as_json_pointer_says() -> None:
    """`~1` is a slash and `~0` a tilde."""
    assert resolve({"$defs": {"a/b~c": {"type": "null"}}}, "#/$defs/a~1b~0c") == {"type": "null"}
