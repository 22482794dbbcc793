"""The smallest instance of a JSON schema, for requests that ask for one."""

from typing import Any, Final

DEEPEST: Final = 8
PLAIN: Final[dict[str, Any]] = {"integer": 1, "number": 1, "boolean": True, "null": None}


def make_instance(schema: Any, depth: int = 0) -> Any:
    """Give a value that fits: required words alone, the first of any choice."""
    if not isinstance(schema, dict) or depth > DEEPEST:
        return None
    if "const" in schema:
        return schema["const"]
    if schema.get("enum"):
        return schema["enum"][0]
    choices = schema.get("anyOf") or schema.get("oneOf") or schema.get("allOf")
    if choices:
        return make_instance(choices[0], depth + 1)
    kind = _kind(schema)
    if kind == "object":
        words = schema.get("properties", {})
        wanted: list[str] = schema.get("required", list(words))
        return {word: make_instance(words.get(word, {}), depth + 1) for word in wanted}
    inner = [make_instance(schema.get("items"), depth + 1)] * schema.get("minItems", 0)
    return inner if kind == "array" else PLAIN.get(kind, "stub")


def _kind(schema: dict[str, Any]) -> str:
    kind = schema.get("type", "object" if "properties" in schema else "string")
    return str(kind[0] if isinstance(kind, list) else kind).lower()
