from typing import Any

import pytest

from subsessiond.adapters.runners.acp.toolcalls import ToolCalls
from subsessiond.adapters.runners.acp.updates import WORDS_CHARACTERS, Updates
from subsessiond.adapters.runners.signs import Signs
from subsessiond.model.commands import NoteSign
from subsessiond.model.node import Phase
from tests.support.stage import Stage


def told(here: Stage) -> list[tuple[str, Phase | None]]:
    """Give what was told."""
    return [(sign.sign, sign.phase) for sign in here.told(NoteSign)]


def updates(here: Stage) -> tuple[Updates, Signs]:
    """Make a reader of updates."""
    signs = Signs(here.voice, here.root, apart_s=0)
    return Updates(ToolCalls(), signs), signs


@pytest.mark.parametrize(
    ("kind", "word"),
    [
        ("agent_message_chunk", "message"),
        ("agent_thought_chunk", "thought"),
        ("plan", "plan"),
        ("usage_update", "usage"),
        ("brand_new_update", "update"),
        (None, "update"),
        (["x"], "update"),
    ],
)
async def test_every_update_is_a_sign_in_our_words(here: Stage, kind: Any, word: str) -> None:
    """Known or not, an update says that the child works; its own words stay out of it."""
    reader, signs = updates(here)
    reader.take({"sessionUpdate": kind, "content": {"text": "secret"}}, in_turn=True)
    signs.close()
    assert told(here) == [(word, Phase.WORKING)]


async def test_an_open_call_is_a_phase(here: Stage) -> None:
    """A child is in a tool until the last open call ends."""
    reader, signs = updates(here)
    for call_id, status in (
        ("1", "pending"),
        ("2", "in_progress"),
        ("1", "failed"),
        ("2", "completed"),
    ):
        update = {"sessionUpdate": "tool_call_update", "toolCallId": call_id, "status": status}
        reader.take(update, in_turn=True)
        signs.close()
    phases = [phase for _, phase in told(here)]
    assert phases == [Phase.IN_TOOL, Phase.IN_TOOL, Phase.IN_TOOL, Phase.WORKING]


@pytest.mark.parametrize("update", [None, 3, "x", []])
async def test_what_is_no_update_is_no_sign(here: Stage, update: Any) -> None:
    """Something that is no object says nothing."""
    reader, signs = updates(here)
    reader.take(update, in_turn=True)
    signs.close()
    assert told(here) == []


async def test_outside_of_a_turn_nothing_is_a_sign(here: Stage) -> None:
    """A child that waits stands still, though its agent tells of its title."""
    reader, signs = updates(here)
    reader.take({"sessionUpdate": "session_info_update"}, in_turn=False)
    reader.take({"sessionUpdate": "tool_call", "toolCallId": "1"}, in_turn=False)
    signs.close()
    assert told(here) == []
    assert reader.phase is Phase.IN_TOOL


async def test_the_end_of_its_words_is_kept(here: Stage) -> None:
    """Where a provider fails, some agents say it in words alone."""
    reader, signs = updates(here)
    for content in ({"text": "x" * 5_000}, {"text": "API "}, {"text": 3}, "no", None):
        update = {"sessionUpdate": "agent_message_chunk", "content": content}
        reader.take(update, in_turn=True)
    thought = {"sessionUpdate": "agent_thought_chunk", "content": {"text": "hm"}}
    reader.take(thought, in_turn=True)
    reader.take(update | {"content": {"text": "Error: 529"}}, in_turn=True)
    signs.close()
    assert reader.last_words.endswith("xxAPI Error: 529")
    assert len(reader.last_words) == WORDS_CHARACTERS
