import re

import pytest

from subsessiond.core.bounds import estimated_tokens, size_bytes
from subsessiond.core.words.tools import (
    NOBODY_INSTRUCTIONS,
    ROOT_INSTRUCTIONS,
    TOOL_WORDS,
)

BOUNDS = {
    "report": 350,
    "subsession_checkpoint": 140,
    "subsession_spawn": 420,
    "subsession_succeed": 160,
    "subsession_inbox": 120,
    "subsession_steer": 70,
    "subsession_cancel": 60,
    "subsession_tree": 100,
    "subsession_node": 40,
}
"""Estimated tokens of all texts of a tool: they are paid for in every turn of every child."""


@pytest.mark.parametrize("name", TOOL_WORDS)
def test_what_is_said_of_a_tool_is_bounded(name: str) -> None:
    """Each tool has a price that was chosen."""
    words = TOOL_WORDS[name]
    said = words.text + "".join(name + sentence for name, sentence in words.fields)
    assert estimated_tokens(size_bytes(said)) <= BOUNDS[name]


def test_every_tool_has_a_bound() -> None:
    """No tool comes in without one."""
    assert BOUNDS.keys() == TOOL_WORDS.keys()


def test_a_report_is_explained_in_four_things_and_one_warning() -> None:
    """To whom it goes, when it is due, when it may come earlier, that the turn goes on; and that
    a call that failed may have arrived.
    """
    text = TOOL_WORDS["report"].text
    for part in ("nobody else reads it", "once, with stage final", "earlier", "does not end"):
        assert part in text
    assert "failed may have arrived" in text
    assert "same key" in TOOL_WORDS["report"].of("idempotencyKey")


def test_texts_are_sentences_without_ids_and_times() -> None:
    """What a prompt cache keeps is the same for every child; each text ends as a sentence does."""
    texts = [ROOT_INSTRUCTIONS]
    for words in TOOL_WORDS.values():
        texts += [words.text, *(sentence for _, sentence in words.fields)]
    for text in texts:
        assert re.search(r"[.]$", text), text
        assert not re.search(r"[0-9a-z]{26}", text), text
    assert estimated_tokens(size_bytes(ROOT_INSTRUCTIONS + NOBODY_INSTRUCTIONS)) <= 150


def test_a_parameter_without_words_is_a_bug() -> None:
    """Asking for one that is not there does not pass silently."""
    with pytest.raises(StopIteration):
        TOOL_WORDS["report"].of("kind")
