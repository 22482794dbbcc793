"""What a model is told of the tools on files, and what they answer."""

import pytest

from subsessiond.core.bounds import estimated_tokens, size_bytes
from subsessiond.core.words.hands import HAND_WORDS, bad_call, command_told, tool_refused

BOUNDS = {
    "read_file": 70,
    "list_files": 60,
    "search_files": 80,
    "write_file": 55,
    "edit_file": 80,
    "delete_file": 25,
    "run_command": 100,
}
"""Estimated tokens of all texts of a tool: they are paid for in every request."""


@pytest.mark.parametrize("name", HAND_WORDS)
def test_what_is_said_of_a_tool_is_bounded(name: str) -> None:
    """Each tool has a price that was chosen, and each text ends as a sentence does."""
    words = HAND_WORDS[name]
    said = words.text + "".join(field + sentence for field, sentence in words.fields)
    assert estimated_tokens(size_bytes(said)) <= BOUNDS[name]
    assert all(text.endswith(".") for text in (words.text, *(s for _, s in words.fields)))


def test_a_refusal_names_what_to_report() -> None:
    """Why, that nobody is there, and the blocker."""
    assert tool_refused("your role has no edit tools", "approval-required: fs write a") == (
        "Refused: your role has no edit tools. Nobody is there to allow it. If you cannot finish "
        "without it, report with stage final and outcome blocked, with this blocker: "
        "approval-required: fs write a"
    )
    assert bad_call("path must be text") == "Not done: path must be text."


def test_a_command_is_told_by_how_it_ended() -> None:
    """What was left out stands before what is shown."""
    assert command_told("exit status 0", "", left_out=0) == "exit status 0, it printed nothing"
    assert command_told("exit status 1", "end", left_out=7) == (
        "exit status 1\n(7 bytes before this were left out)\nend"
    )
