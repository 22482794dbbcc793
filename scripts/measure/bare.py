"""The ceiling: aiohttp without a router, orjson, nothing else. Run as a program.

`POST` and `/ws` parse the call and answer the JSON that the daemon gave to the same method;
`/echo` parses each message and sends it back.

    python -m scripts.measure.bare SOCKET-OR-PORT ANSWERS
"""

import asyncio
import sys
from pathlib import Path
from typing import Any

import orjson
from aiohttp import WSMsgType, web


class Bare:
    """Answers by the name of the method."""

    def __init__(self, answers: dict[str, Any]) -> None:
        self._answers = answers

    def answer(self, raw: bytes) -> bytes:
        """Parse a call and write its answer."""
        call = orjson.loads(raw)
        result = self._answers[call["method"]]
        return orjson.dumps({"jsonrpc": "2.0", "result": result, "id": call["id"]})

    async def handle(self, request: web.BaseRequest) -> web.StreamResponse:
        """Serve one request."""
        if request.path == "/ws":
            return await follow(request, self.answer)
        if request.path == "/echo":
            return await follow(request, echo)
        return web.Response(body=self.answer(await request.read()), content_type="application/json")


def echo(raw: bytes) -> bytes:
    """Parse a message and write it again."""
    return orjson.dumps(orjson.loads(raw))


async def follow(request: web.BaseRequest, answer: Any) -> web.StreamResponse:
    """Serve one WebSocket."""
    socket = web.WebSocketResponse(compress=False)
    await socket.prepare(request)
    async for message in socket:
        if message.type is WSMsgType.TEXT:
            try:
                await socket.send_str(answer(message.data).decode())
            except ConnectionError:
                break
    return socket


async def serve(where: str, bare: Bare) -> None:
    """Serve until killed, at a socket or a port of loopback."""
    server, loop = web.Server(bare.handle, access_log=None), asyncio.get_running_loop()
    if where.isdecimal():
        await loop.create_server(server, "127.0.0.1", int(where))
    else:
        await loop.create_unix_server(server, where)
    await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(serve(sys.argv[1], Bare(orjson.loads(Path(sys.argv[2]).read_bytes()))))
