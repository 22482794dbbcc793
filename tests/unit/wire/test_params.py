from typing import Any, cast

import pytest
from pydantic import ValidationError

from subsessiond.wire.brief import BriefFields
from subsessiond.wire.faults import read_fields
from subsessiond.wire.methods import METHODS
from subsessiond.wire.params import (
    CheckpointParams,
    HandoverParams,
    InboxParams,
    ReportParams,
    TreeParams,
)

NODE = "0" * 26
MODELS = [*dict.fromkeys(method.documented for method in METHODS), BriefFields]


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.__name__)
def test_unknown_fields_and_null_are_refused(model: Any) -> None:
    """No shape of the wire takes a field it does not know, or null for one it does."""
    for name, field in model.model_fields.items():
        with pytest.raises(ValidationError) as caught:
            model.model_validate({field.alias or name: None, "surprise": 1})
        places = {detail["loc"][0] for detail in caught.value.errors()}
        assert "surprise" in places
        # `structured` is any JSON; its null is refused by the report's own rule.
        assert name == "structured" or (field.alias or name) in places


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.__name__)
def test_every_text_refuses_nul(model: Any) -> None:
    """Each field that takes text, at any depth of lists, refuses a NUL in it."""
    schema = model.model_json_schema()
    for name, declared in schema.get("properties", {}).items():
        shape, value = declared, cast("Any", "a\0b")
        while shape.get("type") == "array":
            shape, value = shape["items"], [value]
        if shape.get("type") == "string":
            with pytest.raises(ValidationError) as caught:
                model.model_validate({name: value})
            assert name in {detail["loc"][0] for detail in caught.value.errors()}


def test_snake_case_is_not_the_wire() -> None:
    """The wire speaks camelCase alone."""
    with pytest.raises(ValidationError):
        TreeParams.model_validate({"root_id": NODE})


def test_a_report_and_a_checkpoint_are_taken_as_they_come() -> None:
    """Bad fields of both do not fail the parameters: their parsers speak later."""
    assert ReportParams.model_validate({"nodeId": NODE, "output": 7}).raw == {"output": 7}
    assert CheckpointParams.model_validate({"phase": None}).raw == {"phase": None}


def test_a_report_still_checks_whose_it_claims_to_be() -> None:
    """A node id that is none is refused at the boundary."""
    with pytest.raises(ValidationError):
        ReportParams.model_validate({"nodeId": "../../x", "output": "x"})


def test_mail_is_acknowledged_by_name_or_all_at_once() -> None:
    """A list of ids and `true` are both accepted."""
    assert InboxParams.model_validate({"acknowledge": True}).acknowledge is True
    some = InboxParams.model_validate({"acknowledge": [f"{NODE}.1"]})
    assert some.acknowledge == (f"{NODE}.1",)


@pytest.mark.parametrize(
    ("given", "faults"),
    [
        ({"action": "grant"}, ["grants"]),
        ({"action": "answer"}, ["answer"]),
        ({"action": "as-is", "answer": "x"}, ["answer"]),
        ({"action": "letter", "answer": "x", "grants": {}}, ["grants", "answer"]),
        ({"action": "answer", "answer": "x", "grants": {"tokens": 1}}, ["grants"]),
        ({"action": "none", "answer": "x"}, ["action"]),
        ({"action": "letter"}, []),
        ({"action": "as-is"}, []),
        ({"action": "grant", "grants": {}}, []),
        ({"action": "answer", "answer": "x"}, []),
    ],
)
def test_a_handover_takes_what_belongs_to_its_action(
    given: dict[str, Any], faults: list[str]
) -> None:
    """Grants go with grant and an answer with answer: what is missing or too much is named."""
    read = read_fields(HandoverParams, {"nodeId": NODE, **given})
    found = read if isinstance(read, tuple) else ()
    assert [fault.path for fault in found] == faults
    assert all("action" in fault.problem or fault.path == "action" for fault in found)
