"""A model that does one thing: it reports, as soon as it is offered the tool for it."""

import contextlib
import uuid
from collections.abc import Callable
from typing import Any, Final, NamedTuple

import orjson
from aiohttp import web

from subsessiond.loopback.count import Usage
from subsessiond.loopback.offer import find_offer
from subsessiond.loopback.reply import Api, Asked, Call, Reply
from subsessiond.loopback.routes import MODELS, Serve, is_streamed, make_app, model_of
from subsessiond.loopback.schema import make_instance

TOOL: Final = "report"
REPORT: Final = {
    "output": "The loopback model was offered this tool, and called it.",
    "stage": "final",
    "outcome": "completed",
}
DONE: Final = "Reported."
NOT_OFFERED: Final = "There is no tool to report by."
PLAIN: Final = "ok"


class Heard(NamedTuple):
    """What is told of one request."""

    api: str
    offered: tuple[str, ...]
    """Names of the tools that the model was offered, as it would have to call them."""
    reports: bool
    """Whether the answer is a report."""


class Said(NamedTuple):
    """What is answered."""

    text: str = ""
    calls: tuple[Call, ...] = ()


def answer(asked: Asked) -> Said:
    """Report once; say so afterwards.

    A request that offers no tools (for a title, a router, a review) is not the agent's turn: it
    gets plain text, or the smallest value that fits the schema it asks for.
    """
    if not asked.offers:
        fitting = asked.schema and orjson.dumps(make_instance(asked.schema)).decode()
        return Said(fitting or PLAIN)
    if any(said.role == "tool" for said in asked.said):
        return Said(DONE)
    offer = find_offer(TOOL, asked.offers)
    if offer is None:
        return Said(NOT_OFFERED)
    return Said(calls=(Call(f"call_{uuid.uuid4().hex[:20]}", offer, REPORT),))


def make_model(hear: Callable[[Heard], None]) -> web.Application:
    """Make the application of this model.

    Args:
        hear: Is told of each request.
    """

    def serve(api: Api) -> Serve:
        async def reply(request: web.Request) -> web.StreamResponse:
            raw = await request.read()
            try:
                body = orjson.loads(raw)
                asked = api.read(body)
            except (orjson.JSONDecodeError, AttributeError, KeyError, TypeError) as fault:
                # Whoever listens on a port of this machine may send anything.
                told = api.error(web.HTTPBadRequest.status_code, f"cannot be read: {fault!r}")
                return web.json_response(told, status=web.HTTPBadRequest.status_code)
            said = answer(asked)
            hear(Heard(api.name, tuple(o.full for o in asked.offers), bool(said.calls)))
            return await _send(request, api, body, _reply(model_of(request, body), raw, said))

        return reply

    return make_app(serve, _miss)


def _reply(model: str, raw: bytes, said: Said) -> Reply:
    counted = Usage.counted(raw, [said.text, *([c.offer.full, c.args] for c in said.calls)])
    name = uuid.uuid4().hex[:20]
    return Reply(name, model or MODELS[0], said.text, said.calls, usage=counted)


async def _send(
    request: web.Request, api: Api, body: dict[str, Any], reply: Reply
) -> web.StreamResponse:
    if not is_streamed(request, body):
        return web.json_response(api.whole(reply))
    stream = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
    with contextlib.suppress(ConnectionError):  # an agent that ends hangs up where it likes
        await stream.prepare(request)
        for event in api.stream(reply):
            await stream.write(event.written())
        await stream.write_eof()
    return stream


async def _miss(_: web.Request) -> web.Response:
    return web.json_response({"error": {"message": "not served"}}, status=404)
