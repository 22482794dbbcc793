"""The async client: the same verbs over aiohttp, and the stream of events."""

import asyncio
import json
import os
import socket
from collections.abc import AsyncGenerator, Awaitable
from pathlib import Path
from typing import Any, Self

from aiohttp import (
    ClientError,
    ClientSession,
    ClientTimeout,
    UnixConnector,
    WSMsgType,
)
from aiohttp.client_proto import ResponseHandler

from subsession.client import choose_socket
from subsession.connect import TOO_BUSY, check_owner, find_place, open_nowait
from subsession.errors import BadAnswer, Unanswered, Unreachable, from_error
from subsession.frames import answer_limit_s, check_protocol, headers, request, result
from subsession.mirror import Steps
from subsession.verbs import Json, Verbs

BUSY_LIMIT_S = 5.0
"""How long to wait for room in the daemon's queue of callers; as long as the sync client does."""

BUSY_STEP_S = 0.01
"""How often to look for it: nothing tells when there is room."""


class _Patient(UnixConnector):
    """Waits while the daemon's queue of callers is full.

    Why not by the event loop: it takes a full queue for a connection under way, and what is then
    sent on a socket that was never connected looks like a call whose answer was lost.
    """

    async def _create_connection(self, *_: Any) -> ResponseHandler:
        sock = await _connected(Path(self.path))
        made = await self._loop.create_unix_connection(self._factory, sock=sock)
        return made[1]


async def _connected(path: Path) -> socket.socket:
    """Connect; waits for room in the queue of callers.

    Raises:
        Unreachable: nobody listens there, or there is no room for too long.
    """
    clock = asyncio.get_running_loop()
    until = clock.time() + BUSY_LIMIT_S
    while (sock := open_nowait(path)) is None:
        if clock.time() >= until:
            raise Unreachable(TOO_BUSY, str(path))
        await asyncio.sleep(BUSY_STEP_S)
    return sock


class AsyncClient(Verbs[Awaitable[Json]]):
    """Talks to the daemon of this user; any number of calls at once.

    Use it as `async with AsyncClient() as daemon: await daemon.tree()`.

    Args:
        socket: path of the daemon's socket; absent: as the environment and custom say.
        state_dir: the daemon's state directory; absent: as the environment and custom say.
        token: a node's token, which narrows the caller to that node; absent: the environment's.
        start: start a daemon when none runs (never from within a node).
    """

    def __init__(
        self,
        socket: str | None = None,
        *,
        state_dir: str | None = None,
        token: str | None = None,
        start: bool = False,
    ) -> None:
        self.place = find_place(os.environ, socket, state_dir)
        self.token = token if token is not None else os.environ.get("SUBSESSION_TOKEN")
        self._may_start = start and not self.token
        self._session: ClientSession | None = None
        self._calls = 0
        self.socket: Path | None = None

    async def __aenter__(self) -> Self:
        """Connect, and check that both sides speak the same protocol.

        Raises:
            Unreachable: no daemon answers.
            ProtocolMismatch: the daemon speaks another protocol.
        """
        self.socket = await asyncio.to_thread(choose_socket, self.place, may_start=self._may_start)
        check_owner(self.socket)
        connector = _Patient(path=str(self.socket), limit=0)
        self._session = ClientSession(connector=connector, headers=headers(self.token))
        try:
            check_protocol(await self.info())
        except BaseException:
            await self.aclose()
            raise
        return self

    async def __aexit__(self, *_: object) -> None:
        """Close all connections."""
        await self.aclose()

    async def aclose(self) -> None:
        """Close all connections; idempotent."""
        session, self._session = self._session, None
        if session is not None:
            await session.close()

    def _open_session(self) -> ClientSession:
        """Give the session, or say that there is none."""
        if self._session is None:
            raise Unreachable("use the client in an `async with` block", str(self.socket))
        return self._session

    async def call(self, method: str, params: Json) -> Json:
        """Call one method by name and give its result object.

        Raises:
            Unreachable: no daemon answers; nothing was sent.
            Unanswered: the connection broke; the call may have arrived.
            Refused: the daemon refused.
            Misused: the daemon could not take the call.
            Broken: the daemon met a bug.
        """
        self._calls += 1
        session, body = self._open_session(), request(method, params, self._calls)
        limit = ClientTimeout(total=answer_limit_s(params))
        try:
            async with session.post("http://localhost/rpc", data=body, timeout=limit) as reply:
                return result(reply.status, await reply.read())
        except (ClientError, TimeoutError) as fault:
            raise Unanswered(method, str(fault) or type(fault).__name__) from fault

    async def follow(self, steps: Steps) -> None:
        """Make the calls of a generator of calls until it is done."""
        try:
            ask = next(steps)
            while True:
                ask = steps.send(await self.call(ask.method, ask.params))
        except StopIteration:
            return

    async def events(self, after_seq: int | None = None) -> AsyncGenerator[Json, None]:
        """Give events as they happen, until the daemon closes the stream.

        The first item is the answer of `events.subscribe` (`{seq, resync}`), each later one the
        parameters of a notification, with its method under `method`. After `events.resync`, or
        when `resync` is true, look at the tree again.

        Args:
            after_seq: give also what happened after this event; absent: from now on.
        """
        params: Json = {"afterSeq": after_seq}
        async with self._open_session().ws_connect("http://localhost/ws", max_msg_size=0) as stream:
            await stream.send_str(request("events.subscribe", params, 0).decode())
            async for frame in stream:
                if frame.type is WSMsgType.TEXT:
                    yield _item(frame.data)


def _item(text: str) -> Json:
    """Read one frame of the stream.

    Raises:
        Refused: the subscription was refused.
        BadAnswer: the frame is none of JSON-RPC.
    """
    frame = json.loads(text)
    if not isinstance(frame, dict):
        raise BadAnswer("a frame of the event stream is no object")
    if "method" in frame:
        return {"method": frame["method"], **frame.get("params", {})}
    if "error" in frame:
        raise from_error(frame["error"])
    found: Json = frame["result"]
    return found
