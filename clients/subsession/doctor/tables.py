"""Tables as TOML: what `tomllib` reads, written again. Comments and order are lost."""

import json
from collections.abc import Mapping
from typing import Any


def write_tables(tables: Mapping[str, Any]) -> str:
    """Write a document of tables; what stands in them is written in one line each.

    Args:
        tables: Texts, whole numbers, flags, lists and tables, however deep.
    """
    loose = {name: value for name, value in tables.items() if not isinstance(value, Mapping)}
    lines = [f"{_name(name)} = {_value(value)}" for name, value in loose.items()]
    for name, table in tables.items():
        if isinstance(table, Mapping):
            lines += ["", f"[{_name(name)}]"]
            lines += [f"{_name(word)} = {_value(value)}" for word, value in table.items()]
    return "\n".join(lines) + "\n"


def _name(word: str) -> str:
    return _text(word)


def _text(value: str) -> str:
    # Why: JSON and TOML write a text alike but for one character, which TOML wants escaped.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _value(value: Any) -> str:
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_name(k)} = {_value(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(_value, value)) + "]"
    return json.dumps(value)
