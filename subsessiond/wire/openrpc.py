"""The OpenRPC document, made from the models: the same bytes every time."""

import ast
from collections.abc import Iterator
from itertools import pairwise
from typing import Any, Union, get_args, get_origin

import msgspec
from pydantic import BaseModel
from pydantic.alias_generators import to_camel
from pydantic.json_schema import models_json_schema

import subsessiond
from subsessiond.model import view
from subsessiond.model.base import Value
from subsessiond.model.rejection import Code
from subsessiond.wire.brief import BriefFields
from subsessiond.wire.errors import MESSAGES
from subsessiond.wire.methods import METHODS, Method
from subsessiond.wire.plan import PlanFields
from subsessiond.wire.results import EVENT

_REF = "#/components/schemas/{name}"
_STANDARD = (-32602, -32603)
"""Errors any method may answer beside its own; the other standard ones concern no method."""


def document(*sources: str) -> dict[str, Any]:
    """Make the document, as plain JSON.

    Args:
        sources: Python source of the modules that hold the results' shapes. The sentences under
            their attributes become descriptions; nothing else keeps them at run time.
    """
    plain: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(_document(sources)))
    return plain


def _document(sources: tuple[str, ...]) -> dict[str, Any]:
    schemas = _param_schemas() | _result_schemas(sources)
    return {
        "openrpc": "1.3.2",
        "info": {
            "title": "subsessiond",
            "version": subsessiond.__version__,
            "description": (subsessiond.__doc__ or "").strip(),
        },
        "methods": [_method(method, schemas) for method in METHODS],
        "components": {
            "schemas": {name: schemas[name] for name in sorted(schemas)},
            "errors": _errors(),
        },
    }


def _method(method: Method, schemas: dict[str, Any]) -> dict[str, Any]:
    shape = schemas[method.documented.__name__]
    required = shape.get("required", [])
    return {
        "name": method.name,
        "summary": method.summary,
        "description": f"For: {method.who}.",
        "paramStructure": "by-name",
        "params": [
            {"name": name, "required": name in required, "schema": schema}
            for name, schema in shape.get("properties", {}).items()
        ],
        "result": {"name": "result", "schema": _any_of([_ref_to(one) for one in method.result])},
        "errors": [{"$ref": f"#/components/errors/{number}"} for number in _STANDARD],
    }


def _errors() -> dict[str, Any]:
    standard = {str(n): {"code": n, "message": text} for n, text, _ in MESSAGES}
    data = {"$ref": _REF.format(name="RejectionData")}
    ours = {code.name: _refusal(code) | {"data": data} for code in Code}
    return standard | ours


def _refusal(code: Code) -> dict[str, Any]:
    return {"code": code.number, "message": code.sentence}


def _param_schemas() -> dict[str, Any]:
    models: list[type[BaseModel]] = [
        *dict.fromkeys(method.documented for method in METHODS),
        BriefFields,
        PlanFields,
    ]
    _, found = models_json_schema(
        [(model, "validation") for model in models], ref_template=_REF.format(name="{model}")
    )
    schemas: dict[str, Any] = _plain(found["$defs"])
    spawn = schemas["SpawnParams"]["properties"]
    spawn["brief"] = {"$ref": _REF.format(name="BriefFields")}
    schemas["PlanParams"]["properties"]["plan"] = {"$ref": _REF.format(name="PlanFields")}
    schemas["StepFields"]["properties"]["brief"] = {"$ref": _REF.format(name="BriefFields")}
    return schemas


def _plain(schema: Any) -> Any:
    """Leave out what pydantic adds of its own: titles, and `null` as the default of an absence."""
    if isinstance(schema, list):
        return [_plain(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        key: {name: _plain(one) for name, one in value.items()}
        if key in ("properties", "$defs")
        else _plain(value)
        for key, value in schema.items()
        if not (key == "title" and isinstance(value, str))
        and not (key == "default" and value is None)
    }


def _result_schemas(sources: tuple[str, ...]) -> dict[str, Any]:
    shapes = (*(method.result for method in METHODS), EVENT)
    structs = [one for shape in shapes for one in shape if issubclass(one, msgspec.Struct)]
    described: list[type[msgspec.Struct]] = [*dict.fromkeys(structs), view.Row, view.ChildRow]
    _, schemas = msgspec.json.schema_components(map(_twin, described), ref_template=_REF)
    sentences = {name: found for source in sources for name, found in _sentences(source)}
    for name, schema in schemas.items():
        schema.pop("title", None)
        for attribute, sentence in sentences.get(name, ()):
            if attribute in schema.get("properties", {}):
                schema["properties"][attribute]["description"] = sentence
    for struct in structs:
        if _twin(struct) is not struct:
            schemas[struct.__name__] = _both_rows(schemas[struct.__name__])
    return {**schemas, "RejectionData": _rejection_data()}


def _twin(struct: type[msgspec.Struct]) -> type[msgspec.Struct]:
    """Give a twin with one kind of row for two: msgspec cannot describe two untagged shapes."""
    fields = msgspec.structs.fields(struct)
    if all(_one_row(field.type) == field.type for field in fields):
        return struct
    twins = [
        (field.name, _one_row(field.type), msgspec.field(default=field.default)) for field in fields
    ]
    return msgspec.defstruct(
        struct.__name__,
        twins,
        bases=(Value,),
        kw_only=True,
        namespace={"__doc__": struct.__doc__},
    )


def _one_row(kind: Any) -> Any:
    parts = get_args(kind)
    if view.ChildRow in parts:
        return Union[tuple(part for part in parts if part is not view.ChildRow)]  # noqa: UP007
    if get_origin(kind) is tuple:
        return tuple[tuple(_one_row(part) for part in parts)]  # type: ignore[misc]
    return kind


def _both_rows(schema: Any) -> Any:
    row = {"$ref": _REF.format(name="Row")}
    if schema == row:
        return {"anyOf": [row, {"$ref": _REF.format(name="ChildRow")}]}
    if isinstance(schema, dict):
        return {key: _both_rows(value) for key, value in schema.items()}
    if isinstance(schema, list):
        return [_both_rows(one) for one in schema]
    return schema


def _sentences(source: str) -> Iterator[tuple[str, list[tuple[str, str]]]]:
    """Give the sentences under the attributes of every class, by its name."""
    for one in ast.parse(source).body:
        if isinstance(one, ast.ClassDef):
            yield one.name, list(_sentences_of(one))


def _sentences_of(shape: ast.ClassDef) -> Iterator[tuple[str, str]]:
    for before, after in pairwise(shape.body):
        match before, after:
            case (
                ast.AnnAssign(target=ast.Name(id=name)),
                ast.Expr(value=ast.Constant(value=str(text))),
            ):
                yield to_camel(name), " ".join(text.split())


def _rejection_data() -> dict[str, Any]:
    fault = {"path": {"type": "string"}, "problem": {"type": "string"}}
    return {
        "type": "object",
        "description": "What was refused, as data: a caller can branch on every part of it.",
        "required": ["code", "step", "retryable"],
        "properties": {
            "code": {"enum": [code.name for code in Code]},
            "step": {"type": "string", "description": "Name of the check that refused."},
            "retryable": {"type": "boolean", "description": "Whether trying again can help."},
            "fields": {
                "type": "array",
                "description": "Bad fields, never their values.",
                "items": {"type": "object", "properties": fault, "required": [*fault]},
            },
            "moreFields": {"type": "integer", "description": "Bad fields left out of `fields`."},
            "limit": {"type": "integer"},
            "actual": {"type": "integer"},
            "sibling": {"type": "string", "description": "The other node concerned."},
            "paths": {"type": "array", "items": {"type": "string"}},
            "retryAfterMs": {"type": "integer"},
        },
    }


def _ref_to(kind: type) -> dict[str, Any]:
    if issubclass(kind, msgspec.Struct):
        return {"$ref": _REF.format(name=kind.__name__)}
    return {"type": "object"}


def _any_of(schemas: list[dict[str, Any]]) -> dict[str, Any]:
    return schemas[0] if len(schemas) == 1 else {"anyOf": schemas}
