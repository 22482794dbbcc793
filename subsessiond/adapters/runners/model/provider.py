"""The one place where `pydantic-ai` is used: it speaks the endpoint's language, and nothing more.

Only its models are taken, not its agents: tools, steps, retries and limits are this runner's. It is
imported when the first child needs it; loading it takes about two seconds and 100 MB.
"""

import asyncio
import json
from collections.abc import Callable
from types import MappingProxyType
from typing import Any, Final

import anthropic
import openai
from pydantic_ai.direct import model_request_stream
from pydantic_ai.exceptions import AgentRunError, ModelHTTPError
from pydantic_ai.messages import (
    ModelMessage,
    ModelRequest,
    ModelRequestPart,
    ModelResponse,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.models import Model, ModelRequestParameters, StreamedResponse
from pydantic_ai.models.anthropic import AnthropicModel, AnthropicModelSettings
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.anthropic import AnthropicProvider
from pydantic_ai.providers.openai import OpenAIProvider
from pydantic_ai.settings import ModelSettings
from pydantic_ai.tools import ToolDefinition

from subsessiond.adapters.runners.model.history import shorten
from subsessiond.adapters.runners.model.retries import retry_after_ms
from subsessiond.adapters.runners.model.speech import (
    Call,
    Endpoint,
    Measure,
    ModelFault,
    Said,
    Stop,
)
from subsessiond.model.usage import Usage
from subsessiond.ports import OfferedTool

SILENT_S: Final = 120.0
"""How long an endpoint may send nothing. Local models read a long prompt for a minute."""

ANSWER_TOKENS: Final = 16_384
"""Longest answer where the dialect wants a number; room for a whole file."""

ANSWER_BYTES: Final = 256 * 1024
"""Longest answer that is read. A small model may never end one, and an endpoint may let it."""

CAUSES_MOST: Final = 4

_STOPS: Final = MappingProxyType({"length": Stop.LENGTH, "content_filter": Stop.REFUSAL})
_FAULTS: Final = (AgentRunError, openai.APIError, anthropic.APIError, OSError, ValueError)


def open_speaker(
    endpoint: Endpoint, tools: tuple[OfferedTool, ...], measure: Measure
) -> "LibrarySpeaker":
    """Begin a conversation; nothing is sent yet."""
    client: openai.AsyncOpenAI | anthropic.AsyncAnthropic
    model: Model
    settings: ModelSettings = ModelSettings()
    # Why a word in place of no key: the libraries refuse to begin without one, local endpoints
    # take none, and without it they would look for one in the environment by themselves.
    key = endpoint.key or "none"
    if endpoint.dialect == "anthropic":
        client = anthropic.AsyncAnthropic(
            base_url=endpoint.url, api_key=key, max_retries=0, timeout=SILENT_S
        )
        model = AnthropicModel(endpoint.model, provider=AnthropicProvider(anthropic_client=client))
        # Why the cache: each step sends the whole conversation again, and there it costs a tenth.
        settings = AnthropicModelSettings(max_tokens=ANSWER_TOKENS, anthropic_cache_messages=True)
    else:
        client = openai.AsyncOpenAI(
            base_url=endpoint.url, api_key=key, max_retries=0, timeout=SILENT_S
        )
        model = OpenAIChatModel(endpoint.model, provider=OpenAIProvider(openai_client=client))
    return LibrarySpeaker(client, model, settings, tools, measure)


class LibrarySpeaker:
    """One conversation, kept in the library's own messages."""

    def __init__(
        self,
        client: openai.AsyncOpenAI | anthropic.AsyncAnthropic,
        model: Model,
        settings: ModelSettings,
        tools: tuple[OfferedTool, ...],
        measure: Measure,
    ) -> None:
        self._client = client
        self._model = model
        self._settings = settings
        self._parameters = ModelRequestParameters(
            function_tools=[
                ToolDefinition(
                    name=tool.name,
                    description=tool.text,
                    parameters_json_schema=tool.schema,
                    strict=False,
                )
                for tool in tools
            ],
        )
        self._measure = measure
        self._said: list[ModelMessage] = []
        self._next: list[ModelRequestPart] = []

    def hear(self, text: str) -> None:
        """Add what is said to it."""
        self._next.append(UserPromptPart(content=text))

    def answer(self, call: Call, text: str) -> None:
        """Add what a tool answered."""
        part = ToolReturnPart(tool_name=call.name, content=text, tool_call_id=call.call_id)
        self._next.append(part)

    async def ask(self, on_piece: Callable[[], None]) -> Said:
        """Send all there is and read the answer."""
        asked = shorten([*self._said, ModelRequest(parts=list(self._next))])
        try:
            response = await self._request(asked, on_piece)
        except _FAULTS as error:
            raise _fault(error) from error
        if response is None:
            return Said(stop=Stop.LENGTH)
        self._said, self._next = [*asked, response], []
        return _said(response)

    async def _request(
        self, asked: list[ModelMessage], on_piece: Callable[[], None]
    ) -> ModelResponse | None:
        """Make one request; none = its answer did not end."""
        room = ANSWER_BYTES
        request = model_request_stream(
            self._model,
            asked,
            model_settings=self._settings,
            model_request_parameters=self._parameters,
            instrument=False,
        )
        async with request as stream:
            try:
                async for event in stream:
                    on_piece()
                    room -= _size(event)
                    if room < 0:
                        return None
            finally:
                # Why also of one that broke off: what was read of the prompt has been paid for.
                self._count(stream)
            return stream.get()

    def _count(self, stream: StreamedResponse) -> None:
        used, name = stream.usage, stream.get().provider_response_id
        if not name or not (used.input_tokens or used.output_tokens):
            return
        cached, kept = used.cache_read_tokens, used.cache_write_tokens
        figures = Usage(
            input=used.input_tokens - cached - kept,
            # Why: a figure of 0 that was told stands in the details, one that was not nowhere.
            cache_read=cached or used.details.get("cache_read_input_tokens"),
            cache_write=kept or used.details.get("cache_creation_input_tokens"),
            output=used.output_tokens,
        )
        self._measure(name, figures)

    async def aclose(self) -> None:
        """Give back its connections."""
        await self._client.close()
        # Why: the library leaves a generator behind that the loop ends in a task of its own.
        await asyncio.sleep(0)


def _size(event: object) -> int:
    """Count the characters that a piece adds to the answer."""
    delta = getattr(event, "delta", None)
    texts = (getattr(delta, "content_delta", None), getattr(delta, "args_delta", None))
    return sum(len(text) for text in texts if isinstance(text, str))


def _said(response: ModelResponse) -> Said:
    return Said(
        text="".join(part.content for part in response.parts if isinstance(part, TextPart)),
        calls=tuple(
            Call(
                call_id=part.tool_call_id,
                name=part.tool_name,
                arguments=arguments_of(part),
            )
            for part in response.parts
            if isinstance(part, ToolCallPart)
        ),
        stop=_STOPS.get(response.finish_reason or "", Stop.END),
    )


def arguments_of(call: ToolCallPart) -> dict[str, Any] | None:
    """Read the arguments of a call; models that give none mean an empty object."""
    raw: Any = call.args
    if not raw:
        return {}
    try:
        read = json.loads(raw) if isinstance(raw, str) else raw
    except (ValueError, RecursionError):
        return None
    return read if isinstance(read, dict) else None


def _fault(error: Exception) -> ModelFault:
    words = f"{type(error).__name__}: {error}"
    if isinstance(error, ModelHTTPError):
        after = retry_after_ms((error.headers or {}).get("retry-after"))
        return ModelFault(words, status=error.status_code, retry_after_ms=after)
    # Why the causes too: "Connection error." alone helps nobody.
    cause, seen = error.__cause__, 0
    while cause is not None and seen < CAUSES_MOST:
        words, cause, seen = f"{words}; {type(cause).__name__}: {cause}", cause.__cause__, seen + 1
    return ModelFault(words)
