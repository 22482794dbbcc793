"""Fields of a step's report that stand, in double braces, in what later steps are told.

    {{step.output}} {{step.outcome}} {{step.files}} {{step.blockers}} {{step.openQuestions}}
    {{step.sections.NAME}}              of those that its contract requires
    {{step.structured}} {{step.structured.a.b}}    where its contract has a schema with these words

All of it is bounded by the step's own report limit: a transcript has no field. With a backslash
before them braces are the text's own.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from subsessiond.core.words import compact
from subsessiond.model.node import Settlement
from subsessiond.model.plan import PlanStep

NOTHING: Final = "(not reported)"
_MARK: Final = re.compile(r"(\\?)\{\{ *([A-Za-z0-9_-]+)\.([A-Za-z0-9_.\- ]+)\}\}")
"""Spaces after a field are taken off later: a search for its end looked at each of them anew."""

_PLAIN: Final[Mapping[str, Callable[[Settlement], str]]] = MappingProxyType(
    {
        "output": lambda said: said.output,
        "outcome": lambda said: said.outcome,
        "files": lambda said: "\n".join(said.files),
        "blockers": lambda said: "\n".join(said.blockers),
        "openQuestions": lambda said: "\n".join(said.open_questions),
    }
)


class Mention(NamedTuple):
    """One field that a text asks for."""

    step: str
    field: str


def mentions_of(text: str) -> Iterator[Mention]:
    """Give every field that a text asks for, in its order."""
    for found in _MARK.finditer(text):
        if not found[1]:
            yield Mention(found[2], found[3].rstrip())


def is_known(step: PlanStep, field: str) -> bool:
    """Tell whether a report of a step is sure to have a field, or may have it by its schema."""
    contract = step.brief.report_contract
    first, _, rest = field.partition(".")
    if first == "sections":
        return rest in (contract.required_sections or ())
    if first == "structured":
        schema = contract.output_schema
        return schema is not None and _has_words(schema, rest.split(".") if rest else [])
    return field in _PLAIN


def fill(text: str, said: Mapping[str, Settlement]) -> str:
    """Put what was reported in place of every field that a text asks for.

    Why in one go: what a child reported is not looked at for fields again.
    """

    def put(found: re.Match[str]) -> str:
        return found[0][1:] if found[1] else _value(said.get(found[2]), found[3].rstrip())

    return _MARK.sub(put, text)


def _value(said: Settlement | None, field: str) -> str:
    if said is None:
        return NOTHING
    first, _, rest = field.partition(".")
    if first == "sections":
        return (said.sections or {}).get(rest) or NOTHING
    if first == "structured":
        found = _below(said.structured, rest.split(".") if rest else [])
        return NOTHING if found is None else found if isinstance(found, str) else compact(found)
    plain = _PLAIN.get(field)
    return (plain(said) if plain is not None else "") or NOTHING


def _below(value: Any, words: list[str]) -> Any:
    for word in words:
        value = value.get(word) if isinstance(value, dict) else None
    return value


def _has_words(schema: Any, words: list[str]) -> bool:
    for word in words:
        inside = schema.get("properties") if isinstance(schema, dict) else None
        if not isinstance(inside, dict) or word not in inside:
            return False
        schema = inside[word]
    return True
