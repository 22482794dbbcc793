"""The tools on files."""

from typing import Any

import pytest

from subsessiond.adapters.runners.model.table import HANDS, fault_of, offered_hands
from subsessiond.core.words.hands import HAND_WORDS
from subsessiond.model.role import Role, ToolClass
from tests.support.trees import a_node


def offered(*tools: ToolClass, owns: tuple[str, ...] = ("a",)) -> list[str]:
    """Give the names that a node with these classes is offered."""
    role = Role(name="r", tier="t", tools=tools)
    return [tool.name for tool in offered_hands(a_node(2, role=role, owns=owns))]


def test_a_node_is_offered_the_tools_of_its_classes() -> None:
    """And who owns no file is not offered what could only be refused."""
    assert offered(ToolClass.READ) == ["read_file", "list_files"]
    assert offered(ToolClass.EDIT, ToolClass.DELETE) == ["write_file", "edit_file", "delete_file"]
    assert offered(ToolClass.EDIT, ToolClass.EXECUTE, owns=()) == ["run_command"]
    assert offered() == []


def test_tools_and_words_are_of_the_same_parameters() -> None:
    """Each parameter has a sentence, and each sentence a parameter."""
    assert HANDS.keys() == HAND_WORDS.keys()
    for name, hand in HANDS.items():
        words = {field for field, _ in HAND_WORDS[name].fields}
        assert words == {*hand.needed, *hand.texts, *hand.numbers}


def test_a_schema_says_what_is_needed() -> None:
    """And lets nothing else through."""
    role = Role(name="r", tier="t", tools=(ToolClass.READ,))
    schema = offered_hands(a_node(2, role=role))[0].schema
    assert schema["required"] == ["path"]
    assert schema["properties"]["lines"]["type"] == "integer"
    assert schema["additionalProperties"] is False


@pytest.mark.parametrize(
    ("arguments", "fault"),
    [
        ({"path": "a"}, None),
        ({"path": "a", "firstLine": 2, "lines": None}, None),
        ({"path": "a", "unknown": 1}, None),
        ({}, "path must be text"),
        ({"path": 3}, "path must be text"),
        ({"path": None}, "path must be text"),
        ({"path": "a", "firstLine": 0}, "firstLine must be a whole number from 1"),
        ({"path": "a", "lines": True}, "lines must be a whole number from 1"),
        ({"path": "a", "lines": "2"}, "lines must be a whole number from 1"),
    ],
)
def test_arguments_are_read_as_models_write_them(
    arguments: dict[str, Any], fault: str | None
) -> None:
    """What is too much is let pass, what is wrong is named."""
    assert fault_of("read_file", arguments) == fault
