"""Holds data against a brief's output schema, in bounded steps; `wire.outputschema` is the subset.

Runs in a thread: a schema of 16 KiB and a report of 24,000 bytes can be made to take a while, and
the bound on steps is what ends it.
"""

import math
from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Any, Final

from subsessiond.wire.faults import join_path
from subsessiond.wire.outputschema import resolve

STEPS_MOST: Final = 200_000
"""Schemas applied to values, names looked up and values compared for one report; some hundred
milliseconds at most.
"""

Place = tuple[str | int, ...]


class TooLongError(Exception):
    """The bound on steps was reached."""


def schema_fault(schema: Mapping[str, Any], value: Any) -> str | None:
    """Tell what is wrong with data, by the place of the first fault; none when it satisfies.

    Nothing of the data is repeated: names that are no plain words are left out too.
    """
    try:
        found = next(_Check(schema).faults(schema, value, ("structured",)), None)
    except TooLongError:
        return "structured takes too many steps to be held against the schema"
    return None if found is None else f"{join_path(*found[0])} {found[1]}"


class _Check:
    """One evaluation, with its count of steps."""

    def __init__(self, root: Mapping[str, Any]) -> None:
        self._root = root
        self._left = STEPS_MOST

    def faults(self, schema: Any, value: Any, place: Place) -> Iterator[tuple[Place, str]]:
        """Give the faults of a value, lazily."""
        self._count(1)
        if isinstance(schema, bool):
            if not schema:
                yield place, "is not allowed"
            return
        for keyword, wanted in schema.items():
            self._count(_length(wanted))
            if rule := _RULES.get(keyword):
                if problem := rule(wanted, value):
                    yield place, problem
            elif keyword in _COMPARING:
                if problem := self._compared(keyword, wanted, value):
                    yield place, problem
            else:
                yield from self._nested(schema, keyword, value, place)

    def _count(self, steps: int) -> None:
        self._left -= steps
        if self._left < 0:
            raise TooLongError

    def _compared(self, keyword: str, wanted: Any, value: Any) -> str:
        match keyword:
            case "enum" if not any(self._same(one, value) for one in wanted):
                return "is not one of the allowed values"
            case "const" if not self._same(wanted, value):
                return "is not the one allowed value"
            case "uniqueItems" if wanted and isinstance(value, list):
                pairs = ((a, b) for i, a in enumerate(value) for b in value[:i])
                if any(self._same(a, b) for a, b in pairs):
                    return "must have no entry twice"
        return ""

    def _same(self, one: Any, other: Any) -> bool:
        """Compare as JSON does: true is not 1, and 1 is 1.0."""
        self._count(1)
        if isinstance(one, bool) or isinstance(other, bool):
            return one is other
        if isinstance(one, Mapping) and isinstance(other, Mapping):
            return one.keys() == other.keys() and all(self._same(one[k], other[k]) for k in one)
        if isinstance(one, list) and isinstance(other, list):
            return len(one) == len(other) and all(map(self._same, one, other))
        return bool(one == other)

    def fits(self, schema: Any, value: Any) -> bool:
        """Tell whether a value satisfies a schema."""
        return next(self.faults(schema, value, ()), None) is None

    def _nested(
        self, schema: Mapping[str, Any], keyword: str, value: Any, place: Place
    ) -> Iterator[tuple[Place, str]]:
        if keyword in _LOGIC:
            yield from self._logic(schema, keyword, value, place)
        elif isinstance(value, Mapping):
            yield from self._object(schema, keyword, value, place)
        elif isinstance(value, list):
            yield from self._array(schema, keyword, value, place)

    def _logic(
        self, schema: Mapping[str, Any], keyword: str, value: Any, place: Place
    ) -> Iterator[tuple[Place, str]]:
        wanted = schema[keyword]
        match keyword:
            case "$ref":
                yield from self.faults(resolve(self._root, wanted), value, place)
            case "allOf":
                for one in wanted:
                    yield from self.faults(one, value, place)
            case "anyOf" if not any(self.fits(one, value) for one in wanted):
                yield place, "fits none of anyOf"
            case "oneOf" if sum(self.fits(one, value) for one in wanted) != 1:
                yield place, "does not fit exactly one of oneOf"
            case "not" if self.fits(wanted, value):
                yield place, "is what not excludes"
            case "if":
                branch = "then" if self.fits(wanted, value) else "else"
                yield from self.faults(schema.get(branch, True), value, place)
            case _:
                pass

    def _object(
        self, schema: Mapping[str, Any], keyword: str, value: Mapping[str, Any], place: Place
    ) -> Iterator[tuple[Place, str]]:
        wanted = schema[keyword]
        self._count(len(value))
        match keyword:
            case "properties":
                for name in (name for name in wanted if name in value):
                    yield from self.faults(wanted[name], value[name], (*place, name))
            case "additionalProperties":
                known = schema.get("properties", {})
                for name in (name for name in value if name not in known):
                    yield from self.faults(wanted, value[name], (*place, name))
            case "dependentSchemas":
                for name in (name for name in wanted if name in value):
                    yield from self.faults(wanted[name], value, place)
            case _:
                pass

    def _array(
        self, schema: Mapping[str, Any], keyword: str, value: list[Any], place: Place
    ) -> Iterator[tuple[Place, str]]:
        wanted = schema[keyword]
        match keyword:
            case "prefixItems":
                for i, (one, item) in enumerate(zip(wanted, value, strict=False)):
                    yield from self.faults(one, item, (*place, i))
            case "items":
                for i in range(len(schema.get("prefixItems", ())), len(value)):
                    yield from self.faults(wanted, value[i], (*place, i))
            case "contains":
                found = sum(self.fits(wanted, item) for item in value)
                if not schema.get("minContains", 1) <= found <= schema.get("maxContains", found):
                    yield place, "does not contain what it must"
            case _:
                pass


_LOGIC: Final = frozenset({"$ref", "allOf", "anyOf", "oneOf", "not", "if"})
_COMPARING: Final = frozenset({"enum", "const", "uniqueItems"})


def _length(wanted: Any) -> int:
    """Give how many steps it takes to go through what a keyword holds."""
    if isinstance(wanted, list | Mapping):
        return len(wanted)
    return len(wanted) // 64 if isinstance(wanted, str) else 0


def _type(wanted: str | list[str], value: Any) -> str:
    names = [wanted] if isinstance(wanted, str) else wanted
    return "" if any(_is_of(name, value) for name in names) else f"must be {' or '.join(names)}"


_KINDS: Final[Mapping[str, tuple[type, ...]]] = MappingProxyType(
    {
        "null": (type(None),),
        "boolean": (),
        "number": (int, float),
        "string": (str,),
        "array": (list,),
        "object": (dict,),
    },
)


def _is_of(name: str, value: Any) -> bool:
    if isinstance(value, bool):
        return name == "boolean"
    if name == "integer":
        return isinstance(value, int) or (isinstance(value, float) and value.is_integer())
    return isinstance(value, _KINDS[name])


def _required(wanted: list[str], value: Any) -> str:
    if not isinstance(value, Mapping):
        return ""
    missing = [name for name in wanted if name not in value]
    return f"lacks {join_path(missing[0])}" if missing else ""


def _number(word: str, fits: Callable[[Any, Any], bool]) -> Callable[[Any, Any], str]:
    def rule(wanted: Any, value: Any) -> str:
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        return f"must be {word} {wanted}" if is_number and not fits(value, wanted) else ""

    return rule


def _count(kind: type, word: str, fits: Callable[[int, int], bool]) -> Callable[[Any, Any], str]:
    def rule(wanted: Any, value: Any) -> str:
        sized = isinstance(value, str | list | dict) and isinstance(value, kind)
        bad = sized and not fits(len(value), wanted)
        return f"must have {word} {wanted} entries or characters" if bad else ""

    return rule


def _is_multiple(value: Any, of: Any) -> bool:
    if isinstance(value, int) and isinstance(of, int):
        return value % of == 0
    quotient = value / of
    return math.isfinite(quotient) and abs(quotient - round(quotient)) < 1e-9  # noqa: PLR2004


_RULES: Final[Mapping[str, Callable[[Any, Any], str]]] = MappingProxyType(
    {
        "type": _type,
        "required": _required,
        "minimum": _number("at least", lambda value, wanted: value >= wanted),
        "maximum": _number("at most", lambda value, wanted: value <= wanted),
        "exclusiveMinimum": _number("more than", lambda value, wanted: value > wanted),
        "exclusiveMaximum": _number("less than", lambda value, wanted: value < wanted),
        "multipleOf": _number("a multiple of", _is_multiple),
        "minLength": _count(str, "at least", lambda size, wanted: size >= wanted),
        "maxLength": _count(str, "at most", lambda size, wanted: size <= wanted),
        "minItems": _count(list, "at least", lambda size, wanted: size >= wanted),
        "maxItems": _count(list, "at most", lambda size, wanted: size <= wanted),
        "minProperties": _count(dict, "at least", lambda size, wanted: size >= wanted),
        "maxProperties": _count(dict, "at most", lambda size, wanted: size <= wanted),
    },
)
