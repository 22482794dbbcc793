import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import subsessiond.model
import subsessiond.wire
from subsessiond.model.rejection import Code
from subsessiond.wire.methods import METHODS
from subsessiond.wire.openrpc import document

CHECKED_IN = Path(subsessiond.wire.__file__).parent / "openrpc.json"
SHAPES = Path(subsessiond.model.__file__).parent


@cache
def current() -> dict[str, Any]:
    """Make the document with the sentences of the shapes."""
    return document(*(path.read_text() for path in sorted(SHAPES.rglob("*.py"))))


def references(value: Any) -> Iterator[str]:
    """Give every reference in a document."""
    if isinstance(value, dict):
        if isinstance(value.get("$ref"), str):
            yield value["$ref"]
        value = list(value.values())
    if isinstance(value, list):
        for one in value:
            yield from references(one)


def test_the_checked_in_copy_is_current() -> None:
    """What clients read in the repository is what the daemon answers."""
    assert json.loads(CHECKED_IN.read_text()) == current()


def test_every_reference_has_a_target() -> None:
    """No schema and no error is named that is not there."""
    found = current()
    for reference in references(found):
        here: Any = found
        for step in reference.removeprefix("#/").split("/"):
            here = here[step]


def test_every_method_and_code_is_there() -> None:
    """The document is the whole contract."""
    found = current()
    assert [one["name"] for one in found["methods"]] == [method.name for method in METHODS]
    assert {code.name for code in Code} <= found["components"]["errors"].keys()


def test_parameters_are_described_by_their_sentences() -> None:
    """The sentence under a field is its description, in parameters and results alike."""
    found = current()
    spawn = next(one for one in found["methods"] if one["name"] == "subsession.spawn")
    role = next(one for one in spawn["params"] if one["name"] == "role")
    assert role == {"name": "role", "required": True, "schema": role["schema"]}
    assert role["schema"]["description"] == "Row of the role table."
    seq = found["components"]["schemas"]["TreeAnswer"]["properties"]["seq"]
    assert seq["description"].startswith("Cursor")


def test_rows_are_of_either_size() -> None:
    """A page of the tree holds the operator's rows or a node's."""
    rows = current()["components"]["schemas"]["TreeAnswer"]["properties"]["rows"]
    assert [one["$ref"].rpartition("/")[2] for one in rows["items"]["anyOf"]] == ["Row", "ChildRow"]


def test_absence_has_no_default() -> None:
    """No parameter is documented as null when it is left out."""
    for method in current()["methods"]:
        for param in method["params"]:
            assert "default" not in param["schema"], (method["name"], param["name"])
