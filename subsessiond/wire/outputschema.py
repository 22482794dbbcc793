"""Which JSON Schemas a brief may carry: a subset that can be evaluated in bounded steps.

Left out: patterns (a backtracking engine has no bound), references out of the document, references
that lead back to themselves. An unknown keyword is refused and not ignored: a schema with a typing
error would silently check nothing.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from subsessiond.model.brief import FieldFault
from subsessiond.wire.canonical import compact_bytes, json_faults
from subsessiond.wire.faults import join_path

MOST_BYTES = 16 * 1024

_ONE = frozenset({"additionalProperties", "items", "not", "contains", "if", "then", "else"})
"""Keywords that hold one schema."""
_MANY = frozenset({"anyOf", "oneOf", "allOf", "prefixItems"})
"""Keywords that hold a list of schemas."""
_NAMED = frozenset({"properties", "$defs", "definitions", "dependentSchemas"})
"""Keywords that hold schemas by name."""
_NUMBERS = frozenset({"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"})
_COUNTS = frozenset(
    {"minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties"}
    | {"minContains", "maxContains"}
)
_TEXTS = frozenset({"title", "description", "$comment", "$schema", "$id", "$anchor", "format"})
_FREE = frozenset({"const", "default", "examples", "deprecated", "readOnly", "writeOnly"})
_TYPES = frozenset({"null", "boolean", "integer", "number", "string", "array", "object"})

Place = tuple[str | int, ...]


def schema_faults(schema: Mapping[str, Any], *path: str | int) -> tuple[FieldFault, ...]:
    """List what keeps a schema out of the subset.

    Args:
        schema: Parsed JSON object.
        path: Where it stands in the request.
    """
    size = len(compact_bytes(schema))
    if size > MOST_BYTES:
        return (_fault(path, f"is {size} bytes long, more than {MOST_BYTES}"),)
    if faults := json_faults(schema, *path):
        return faults
    found = [*_walk(schema, schema, path)]
    if not found and (circle := _circle(schema, path)):
        found.append(circle)
    return tuple(found)


def _walk(root: Mapping[str, Any], schema: Any, path: Place) -> Iterator[FieldFault]:
    if isinstance(schema, bool):
        return
    if not isinstance(schema, Mapping):
        yield _fault(path, "must be a schema: an object, true or false")
        return
    for keyword, value in schema.items():
        place = (*path, keyword)
        problem = _problem(root, keyword, value)
        if problem:
            yield _fault(place, problem)
        else:
            for below, inner in _below(keyword, value):
                yield from _walk(root, inner, (*place, *below))


def _below(keyword: str, value: Any) -> Iterator[tuple[Place, Any]]:
    """Give the schemas that a keyword holds, with their places below it."""
    if keyword in _ONE:
        yield (), value
    elif keyword in _MANY:
        yield from (((i,), inner) for i, inner in enumerate(value))
    elif keyword in _NAMED:
        yield from (((name,), inner) for name, inner in value.items())


def _problem(root: Mapping[str, Any], keyword: str, value: Any) -> str:  # noqa: PLR0911 - a table
    if keyword in _ONE or keyword in _FREE:
        return ""
    if keyword in _MANY:
        return "" if isinstance(value, list) and value else "must be a list with entries"
    if keyword in _NAMED:
        return "" if isinstance(value, Mapping) else "must be an object"
    if keyword in _NUMBERS:
        good = _is_number(value) and (keyword != "multipleOf" or value > 0)
        return "" if good else "must be a number" + (" above 0" if keyword == "multipleOf" else "")
    if keyword in _COUNTS:
        return "" if _is_count(value) else "must be an integer of at least 0"
    if keyword in _TEXTS:
        return "" if isinstance(value, str) else "must be text"
    return _rare_problem(root, keyword, value)


def _rare_problem(root: Mapping[str, Any], keyword: str, value: Any) -> str:
    match keyword:
        case "type":
            names = value if isinstance(value, list) else [value]
            good = bool(names) and all(isinstance(name, str) and name in _TYPES for name in names)
            return "" if good else "must be a type name or a list of them"
        case "enum":
            return "" if isinstance(value, list) and value else "must be a list with entries"
        case "required":
            good = isinstance(value, list) and all(isinstance(name, str) for name in value)
            return "" if good else "must be a list of names"
        case "uniqueItems":
            return "" if isinstance(value, bool) else "must be true or false"
        case "$ref":
            return _reference_problem(root, value)
        case _:
            return "is not a keyword of the subset"


def _reference_problem(root: Mapping[str, Any], value: Any) -> str:
    if not isinstance(value, str):
        return "must be text"
    if not value.startswith("#"):
        return "must point into this schema"
    return "" if resolve(root, value) is not None else "points at nothing"


def resolve(root: Mapping[str, Any], reference: str) -> Any | None:
    """Follow a local reference (`#/$defs/x`); none where there is nothing."""
    here: Any = root
    for step in reference.removeprefix("#").split("/")[1:]:
        name = step.replace("~1", "/").replace("~0", "~")
        if not isinstance(here, Mapping) or name not in here:
            return None
        here = here[name]
    return here if reference in ("#", "") or reference.startswith("#/") else None


def _circle(schema: Mapping[str, Any], path: Place) -> FieldFault | None:
    """Find a reference that can lead back to itself."""
    edges = {name: _references(resolve(schema, name)) for name in _references(schema)}
    waiting = list(edges)
    while waiting:  # references found only behind references
        for name in edges[waiting.pop()]:
            if name not in edges:
                edges[name] = _references(resolve(schema, name))
                waiting.append(name)
    # Kahn: take away what leads nowhere until nothing is left, or only circles.
    while ends := [name for name, targets in edges.items() if not targets & edges.keys()]:
        for name in ends:
            del edges[name]
    return _fault(path, "holds a $ref that leads back to itself") if edges else None


def _references(schema: Any) -> frozenset[str]:
    found: set[str] = set()
    waiting = [schema]
    while waiting:
        here = waiting.pop()
        if isinstance(here, Mapping):
            for keyword, value in here.items():
                if keyword == "$ref":
                    found.add(value)
                waiting.extend(inner for _, inner in _below(keyword, value))
    return frozenset(found)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _fault(path: Place, problem: str) -> FieldFault:
    return FieldFault(path=join_path(*path), problem=problem)
