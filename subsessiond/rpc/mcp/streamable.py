"""The protocol over HTTP: `POST /mcp`, with the token of one node, and what is said is that node's.

The same sessions, tools, texts and guard as over a pipe. There is no stream that a client could
open to listen: nothing is ever said to it but in answer.

Source: the Model Context Protocol, Streamable HTTP, in the versions of `rpc.mcp.versions`.
"""

from collections.abc import Callable
from typing import Any, Final

import msgspec
from aiohttp import hdrs, web

from subsessiond.model.commands import Caller
from subsessiond.model.events import AnyEvent, NodeReleased
from subsessiond.model.ids import NodeId
from subsessiond.model.tree import Tree
from subsessiond.rpc.call import Call
from subsessiond.rpc.mcp.exchange import EVENTS, Exchange
from subsessiond.rpc.mcp.messages import error, id_of
from subsessiond.rpc.mcp.mirrored import header_fault, is_by_request
from subsessiond.rpc.mcp.session import PROGRESS_S, Session
from subsessiond.rpc.mcp.sessions import Sessions
from subsessiond.rpc.mcp.toolbox import Toolbox
from subsessiond.rpc.reading import read_json
from subsessiond.rpc.refusals import JSON, refusal
from subsessiond.rpc.running import Running
from subsessiond.rpc.site import Site
from subsessiond.rpc.websocket import MESSAGE_MOST_BYTES
from subsessiond.wire.errors import INVALID_PARAMS, INVALID_REQUEST, METHOD_NOT_FOUND, PARSE_ERROR

PATH: Final = "/mcp"
METHODS: Final = (hdrs.METH_POST, hdrs.METH_DELETE)
SESSION: Final = "Mcp-Session-Id"

BEARER: Final = "bearer "

_UNREAD: Final = (PARSE_ERROR, INVALID_REQUEST)
_BY_REQUEST: Final = {
    **dict.fromkeys((*_UNREAD, INVALID_PARAMS), 400),
    METHOD_NOT_FOUND: 404,
}
"""What the version without a handshake wants said in HTTP too. In the others 404 means that there
is no such session, so what went wrong in one stands in the answer alone."""


class _Error(msgspec.Struct):
    code: int


class _Reply(msgspec.Struct):
    error: _Error | None = None


_decode = msgspec.json.Decoder(_Reply).decode


class Streamable:
    """Answers requests at one path.

    Args:
        toolbox: Has the tools.
        node_of: Gives the node of a token; none where it is of no node, or not any more.
        running: Keeps the calls.
        progress_s: How often a caller who asked for it hears that its call goes on.
    """

    def __init__(
        self,
        toolbox: Toolbox,
        node_of: Callable[[str], NodeId | None],
        running: Running,
        progress_s: float = PROGRESS_S,
    ) -> None:
        self._node_of = node_of
        self._running = running
        self._sessions = Sessions(lambda: Session(toolbox, self._running, progress_s))

    async def answer(self, site: Site, request: web.BaseRequest) -> web.StreamResponse:
        """Answer a request that has passed the gate."""
        node_id = self._node(request)
        if node_id is None:
            return _nobody()
        if request.method == hdrs.METH_DELETE:
            return self._end(request, node_id)
        accepts = request.headers.get(hdrs.ACCEPT, "*/*")
        if not any(kind in accepts for kind in ("application/json", "application/*", "*/*")):
            return refusal(406, "accept", "must take application/json, and an event stream at best")
        raw = await site.read(request)
        if raw is None:
            return refusal(413, "", "is too large", limit=MESSAGE_MOST_BYTES)
        if self._node(request) != node_id:  # it ended while the message came
            return _nobody()
        return await self._take(site, request, read_json(raw), node_id)

    def on_events(self, events: tuple[AnyEvent, ...], _tree: Tree) -> None:
        """Forget the sessions of nodes that are released."""
        for one in events:
            if isinstance(one, NodeReleased):
                self._sessions.forget(one.node)

    def _node(self, request: web.BaseRequest) -> NodeId | None:
        """Give whose token a request shows.

        Why it takes as long whatever is shown: tokens are looked up by their hash, which tells
        nobody how much of a guess was right.
        """
        shown = request.headers.getall(hdrs.AUTHORIZATION, [])
        if len(shown) != 1 or shown[0][: len(BEARER)].lower() != BEARER:
            return None
        return self._node_of(shown[0][len(BEARER) :].strip())

    async def _take(
        self, site: Site, request: web.BaseRequest, message: Any, node_id: NodeId
    ) -> web.StreamResponse:
        headers = request.headers
        if fault := header_fault(headers, message):
            body = error(fault, id_of(message))
            return web.Response(status=400, body=body, headers=JSON)
        by_request, more = is_by_request(headers, message), dict[str, str]()
        session: Session | None = self._sessions.alone()
        if not by_request and _is_hello(message):
            more[SESSION], session = self._sessions.begin(node_id)
        elif not by_request and SESSION in headers:
            session = self._sessions.find(headers[SESSION], node_id)
        if session is None:
            return _no_session()
        takes_events = EVENTS in headers.get(hdrs.ACCEPT, "")
        exchange = Exchange(request, self._running, more, takes_events=takes_events)
        caller = Caller(node_id=node_id, why=f"it shows the token of {node_id}")
        answers = session.take(message, Call(caller, exchange.connection))
        if not answers.calls:
            return _without_calls(answers.ready)
        with site.call(request, node_id):
            try:
                return await exchange.answer(answers, lambda reply: _status(reply, by_request))
            finally:
                if by_request:  # who hangs up takes back; in the other versions one says so
                    session.end()

    def _end(self, request: web.BaseRequest, node_id: NodeId) -> web.Response:
        name = request.headers.get(SESSION)
        if name is None:
            return refusal(400, SESSION, "is missing")
        return web.Response(status=204) if self._sessions.end(name, node_id) else _no_session()


def _is_hello(message: Any) -> bool:
    return isinstance(message, dict) and message.get("method") == "initialize" and "id" in message


def _without_calls(ready: bytes | None) -> web.Response:
    """Answer what nothing has to be run for: notifications, and what could not be read."""
    if ready is None:
        return web.Response(status=202)
    status = 200 if _decode(ready).error is None else 400
    return web.Response(status=status, body=ready, headers=JSON)


def _status(reply: bytes, by_request: bool) -> int:  # noqa: FBT001  # it is of one kind or another
    if reply[:1] != b"{":
        return 200
    found = _decode(reply).error
    if found is None:
        return 200
    return _BY_REQUEST.get(found.code, 200) if by_request or found.code in _UNREAD else 200


def _nobody() -> web.Response:
    refused = refusal(401, "authorization", "must be the bearer token of a node that is there")
    refused.headers[hdrs.WWW_AUTHENTICATE] = "Bearer"
    return refused


def _no_session() -> web.Response:
    return refusal(404, SESSION, "is of no session here; begin with initialize, without one")
