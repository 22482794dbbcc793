"""What the library is given, and what is read from it."""

from typing import Any

import pytest
from pydantic_ai.messages import ToolCallPart

from subsessiond.adapters.runners.model.provider import arguments_of, open_speaker
from subsessiond.adapters.runners.model.speech import Endpoint, ModelFault, Said, Stop
from subsessiond.model.usage import Usage
from subsessiond.ports import OfferedTool
from tests.support.modelstub import Stub, script

TOOL = OfferedTool(name="look", text="Look.", schema={"type": "object", "properties": {}})
DIALECTS = ("openai", "anthropic")


def endpoint(stub: Stub, dialect: str) -> Endpoint:
    """Name a stub."""
    url = f"{stub.url}/v1" if dialect == "openai" else stub.url
    return Endpoint(url=url, model="m", dialect=dialect, key="")


@pytest.mark.parametrize(
    ("raw", "read"),
    [
        ('{"a": 1}', {"a": 1}),
        ({"a": 1}, {"a": 1}),
        ("", {}),
        (None, {}),
        ("[1]", None),
        ('"text"', None),
        ('{"a":', None),
        ("[" * 100_000, None),
        ("null", None),
    ],
)
def test_arguments_are_an_object_or_none(raw: Any, read: dict[str, Any] | None) -> None:
    """Whatever a model writes there."""
    assert arguments_of(ToolCallPart(tool_name="t", args=raw)) == read


@pytest.mark.parametrize("dialect", DIALECTS)
async def test_a_conversation_goes_on_with_what_was_answered(dialect: str) -> None:
    """Each request holds all before it; what failed left no trace in it."""
    measured: list[tuple[str, Usage]] = []
    async with Stub() as stub:
        speaker = open_speaker(
            endpoint(stub, dialect), (TOOL,), lambda name, usage: measured.append((name, usage))
        )
        lost = {"error": 500, "times": 1}
        speaker.hear(script({"call": "look", "args": {}}, {**lost, "text": "seen"}))
        said = await speaker.ask(lambda: None)
        assert [(call.name, call.arguments) for call in said.calls] == [("look", {})]
        speaker.answer(said.calls[0], "a wall")
        with pytest.raises(ModelFault) as failed:
            await speaker.ask(lambda: None)
        assert failed.value.status == 500
        assert await speaker.ask(lambda: None) == Said(text="seen", stop=Stop.END)
        assert stub.requests[1].raw == stub.requests[2].raw
        assert stub.requests[2].results == ("a wall",)
        assert len({name for name, _ in measured}) == len(measured) == 2
        await speaker.aclose()


async def test_a_prompt_that_is_sent_again_is_read_from_the_cache() -> None:
    """Where the dialect has to be told."""
    async with Stub() as stub:
        for dialect, asked in (("anthropic", True), ("openai", False)):
            speaker = open_speaker(endpoint(stub, dialect), (TOOL,), lambda *_: None)
            speaker.hear(script({"text": "x"}))
            await speaker.ask(lambda: None)
            assert stub.requests[-1].holds("cache_control") is asked
            await speaker.aclose()


async def test_pieces_are_told_as_they_come() -> None:
    """They are signs of life."""
    pieces: list[int] = []
    async with Stub() as stub:
        speaker = open_speaker(endpoint(stub, "openai"), (TOOL,), lambda *_: None)
        speaker.hear(script({"text": "one two three " * 20}))
        await speaker.ask(lambda: pieces.append(1))
        assert len(pieces) >= 10
        await speaker.aclose()
