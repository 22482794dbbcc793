"""The server of `note.py` at an address: stateless, over HTTP, for agents that take no program."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

from aiohttp import web

from tests.support.agents.note import answer


def _nothing() -> None:
    """Nobody wants to know."""


UNKNOWN = {"error": {"code": -32601, "message": "unknown"}}


async def _post(notes: Path, listed: Callable[[], None], request: web.Request) -> web.Response:
    asked = await request.json()
    if asked["method"] == "tools/list":
        listed()
    if "id" not in asked:
        return web.Response(status=202)
    # Why so: then a client of the newest version falls back to the handshake, as with others.
    old = "protocolVersion" not in str((asked.get("params") or {}).get("_meta", {}))
    result = answer(asked["method"], asked.get("params") or {}, notes) if old else None
    said = UNKNOWN if result is None else {"result": result}
    return web.json_response(
        {"jsonrpc": "2.0", "id": asked["id"], **said}, status=200 if old else 400
    )


@asynccontextmanager
async def noting(notes: Path, listed: Callable[[], None] = _nothing) -> AsyncIterator[str]:
    """Serve for the length of a block; gives the address.

    Args:
        notes: the file.
        listed: is told when an agent lists the tools.
    """
    app = web.Application()
    app.router.add_post("/mcp", partial(_post, notes, listed))
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        host, port = runner.addresses[0][:2]
        yield f"http://{host}:{port}/mcp"
    finally:
        await runner.cleanup()
