"""aiohttp's server, watched by the door and without a log of its own."""

import asyncio
import logging
from typing import Any

from aiohttp import web

from subsessiond.rpc.door import Door


class WatchedServer(web.Server):
    """Tells the door who comes and leaves."""

    def __init__(self, door: Door, handle: Any, **more: Any) -> None:
        super().__init__(handle, **more)
        self._door = door
        self._lines: dict[web.RequestHandler, asyncio.Transport] = {}

    def connection_made(self, handler: web.RequestHandler, transport: asyncio.Transport) -> None:
        """Let a connection in."""
        super().connection_made(handler, transport)
        self._lines[handler] = transport
        self._door.comes(transport)

    def connection_lost(
        self, handler: web.RequestHandler, exc: BaseException | None = None
    ) -> None:
        """See a connection off."""
        self._door.leaves(self._lines.pop(handler))
        super().connection_lost(handler, exc)


def silent() -> logging.Logger:
    """Give the transport a log for what any caller may do for ever: hang up, speak no HTTP.

    What is a bug of ours is told by us.
    """
    logger = logging.getLogger("subsessiond.http")
    logger.setLevel(logging.CRITICAL)
    return logger
