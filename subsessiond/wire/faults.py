"""Turns what pydantic found into bad fields: where and what is wrong, never what stood there."""

import re
from types import MappingProxyType
from typing import Any, TypeGuard, TypeVar

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from subsessiond.model.brief import FieldFault

UNKNOWN_FIELD = "is not a known field"

UNNAMED = "(unnamed)"
"""Stands for a key that is no plain word: it may be a value in the wrong place."""

MOST_FAULTS = 500
"""Bad fields that are told one by one; who sends more is told their number, at no cost."""

ENTRIES_MOST = 50_000
"""Entries of one list that are looked at. No field may have as many, and each of them may be a bad
field of its own."""

M = TypeVar("M", bound=BaseModel)

_WORD = re.compile(r"[A-Za-z_$][A-Za-z0-9_]{0,39}")

_SENTENCES = MappingProxyType(
    {
        "missing": "is required",
        "extra_forbidden": UNKNOWN_FIELD,
        "string_type": "must be text",
        "string_unicode": "holds an unpaired surrogate",
        "int_type": "must be an integer",
        "int_from_float": "must be an integer",
        "bool_type": "must be true or false",
        "tuple_type": "must be a list",
        "dict_type": "must be an object",
        "model_type": "must be an object",
        "model_attributes_type": "must be an object",
        "enum": "must be one of {expected}",
        "literal_error": "must be one of {expected}",
        "greater_than_equal": "must be at least {ge}",
        "less_than_equal": "must be at most {le}",
        "too_long": "must have at most {max_length} entries",
        "too_short": "must have at least {min_length} entries",
        "string_too_short": "must have at least {min_length} characters",
        "string_too_long": "must have at most {max_length} characters",
    }
)

_OURS = frozenset({"nul", "empty", "size", "spelling", "surrogate", "action"})
"""Errors raised in `wire` itself: their own sentence holds no value."""


def join_path(*parts: str | int) -> str:
    """Name a place: `brief.ownedGlobs[3]`. Keys that are no plain words are not repeated."""
    path = ""
    for part in parts:
        if isinstance(part, int):
            path += f"[{part}]"
        else:
            word = part if _WORD.fullmatch(part) or part == UNNAMED else UNNAMED
            path += f".{word}" if path else word
    return path


def faults_of(error: ValidationError, *prefix: str) -> tuple[FieldFault, ...]:
    """Give every bad field that pydantic found, in its order, each place once."""
    found: dict[str, FieldFault] = {}
    for detail in error.errors(include_url=False, include_context=True, include_input=False):
        path = join_path(*prefix, *_places(detail["loc"]))
        found.setdefault(path, FieldFault(path=path, problem=_problem(detail)))
    return tuple(found.values())


def read_fields(model: type[M], raw: Any, *prefix: str) -> M | tuple[FieldFault, ...]:
    """Read an object into its shape, or name every bad field.

    Args:
        model: The shape.
        raw: Parsed JSON, as it came.
        prefix: Where it stands.
    """
    if long := _endless(model, raw, prefix):
        return long
    try:
        return model.model_validate(raw)
    except ValidationError as error:
        if error.error_count() > MOST_FAULTS:
            problem = f"has {error.error_count()} bad fields"
            return (FieldFault(path=join_path(*prefix) or "params", problem=problem),)
        return faults_of(error, *prefix)


def _endless(model: type[BaseModel], raw: Any, prefix: tuple[str, ...]) -> tuple[FieldFault, ...]:
    """Name the fields whose lists are too long to be looked at."""
    # Why first: nearly no object has one, and its fields need not be gone through then.
    if type(raw) is not dict or list not in map(type, raw.values()):
        return ()
    given = ((field.alias or name) for name, field in model.model_fields.items())
    long = ((name, raw.get(name)) for name in given)
    return tuple(
        FieldFault(path=join_path(*prefix, name), problem=f"has {len(value)} entries")
        for name, value in long
        if _is_endless(value)
    )


def _is_endless(value: Any) -> TypeGuard[list[Any]]:
    return isinstance(value, list) and len(value) > ENTRIES_MOST


def _places(loc: tuple[int | str, ...]) -> tuple[int | str, ...]:
    # Why: pydantic marks the key of a mapping by "[key]"; our unions name their branches so too.
    return tuple(part for part in loc if not str(part).startswith("["))


def _problem(detail: ErrorDetails) -> str:
    if detail["type"] in _OURS:
        return detail["msg"]
    context: dict[str, Any] = detail.get("ctx", {})
    return _SENTENCES.get(detail["type"], "cannot be accepted").format(**context)
