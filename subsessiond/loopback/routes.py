"""The paths of four APIs; one request from reading to the last byte is somebody else's."""

from collections.abc import Awaitable, Callable
from typing import Final

from aiohttp import web

from subsessiond.loopback import anthropic, chat, gemini, responses
from subsessiond.loopback.count import count
from subsessiond.loopback.reply import Api, Body

LARGEST: Final = 256 * 2**20
MODELS: Final = ("stub-model", "claude-sonnet-4-5", "gemini-2.5-pro")
PATHS: Final = {
    "chat/completions": chat.API,
    "responses": responses.API,
    "messages": anthropic.API,
}

Serve = Callable[[web.Request], Awaitable[web.StreamResponse]]


def make_app(serve: Callable[[Api], Serve], miss: Serve) -> web.Application:
    """Make the application.

    Args:
        serve: Gives who answers the requests of an API.
        miss: Answers every other request.
    """
    app = web.Application(client_max_size=LARGEST)
    for prefix in ("", "/v1"):
        for path, api in PATHS.items():
            app.router.add_post(f"{prefix}/{path}", serve(api))
        app.router.add_post(f"{prefix}/messages/count_tokens", _count)
        app.router.add_get(f"{prefix}/models", _list_models)
    app.router.add_post("/{version}/models/{model}:countTokens", _count)
    app.router.add_post("/{version}/models/{model}:{verb}", serve(gemini.API))
    app.router.add_route("*", "/{rest:.*}", miss)
    return app


def model_of(request: web.Request, body: Body) -> str:
    """Give the name of the model that a request is for."""
    return str(body.get("model") or request.match_info.get("model", ""))


def is_streamed(request: web.Request, body: Body) -> bool:
    """Tell whether a request wants its answer in pieces."""
    return bool(body.get("stream")) or "stream" in request.match_info.get("verb", "")


async def _count(request: web.Request) -> web.Response:
    tokens = count(await request.read())
    return web.json_response({"input_tokens": tokens, "totalTokens": tokens})


async def _list_models(_: web.Request) -> web.Response:
    rows = [{"id": name, "object": "model", "type": "model"} for name in MODELS]
    ends = {"first_id": MODELS[0], "last_id": MODELS[-1], "has_more": False}
    return web.json_response({"object": "list", "data": rows, **ends})
