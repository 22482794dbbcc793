"""The tools on files: what each counts as, and which parameters it has."""

from types import MappingProxyType
from typing import Any, Final, NamedTuple

from subsessiond.core.permit import WRITES, tools_of
from subsessiond.core.words.hands import HAND_WORDS
from subsessiond.model.node import Node
from subsessiond.model.role import ToolClass
from subsessiond.ports import OfferedTool


class Hand(NamedTuple):
    """One tool."""

    counts_as: ToolClass
    needed: tuple[str, ...] = ()
    texts: tuple[str, ...] = ()
    """Further parameters that are text."""
    numbers: tuple[str, ...] = ()
    """Further parameters that are whole numbers from 1."""


HANDS: Final = MappingProxyType(
    {
        "read_file": Hand(ToolClass.READ, ("path",), numbers=("firstLine", "lines")),
        "list_files": Hand(ToolClass.READ, texts=("path",)),
        "search_files": Hand(ToolClass.SEARCH, ("text",), texts=("path",)),
        "write_file": Hand(ToolClass.EDIT, ("path", "text")),
        "edit_file": Hand(ToolClass.EDIT, ("path", "old", "new")),
        "delete_file": Hand(ToolClass.DELETE, ("path",)),
        "run_command": Hand(ToolClass.EXECUTE, ("command",), numbers=("timeoutMs",)),
    }
)


def offered_hands(node: Node) -> tuple[OfferedTool, ...]:
    """Give the tools that are there for a node: those of its classes that can do anything."""
    allowed = tools_of(node)
    return tuple(
        OfferedTool(name=name, text=HAND_WORDS[name].text, schema=_schema(name, hand))
        for name, hand in HANDS.items()
        if hand.counts_as in allowed and (hand.counts_as not in WRITES or node.owns)
    )


def fault_of(name: str, arguments: dict[str, Any]) -> str | None:
    """Say what keeps arguments from being those of a tool; models write them as they like."""
    hand = HANDS[name]
    for word in (*hand.needed, *hand.texts):
        given = arguments.get(word)
        if (given is None and word in hand.needed) or not isinstance(given, str | None):
            return f"{word} must be text"
    for word in hand.numbers:
        number = arguments.get(word)
        whole = isinstance(number, int) and not isinstance(number, bool) and number >= 1
        if number is not None and not whole:
            return f"{word} must be a whole number from 1"
    return None


def _schema(name: str, hand: Hand) -> dict[str, Any]:
    words = HAND_WORDS[name]
    described: dict[str, Any] = {
        word: {"type": "string", "description": words.of(word)}
        for word in (*hand.needed, *hand.texts)
    }
    for word in hand.numbers:
        described[word] = {"type": "integer", "minimum": 1, "description": words.of(word)}
    return {
        "type": "object",
        "properties": described,
        "required": list(hand.needed),
        "additionalProperties": False,
    }
