"""Serve the model until standard input ends.

    python -m subsessiond.loopback

The first line on standard output is {"url": ...}; each further one tells of a request.
"""

import asyncio
import sys
from typing import Any

import orjson
from aiohttp import web

from subsessiond.loopback.model import make_model


def tell(line: Any) -> None:
    """Write one line of JSON."""
    sys.stdout.buffer.write(orjson.dumps(line) + b"\n")
    sys.stdout.buffer.flush()


async def serve() -> None:
    """Serve on a free port of this machine alone."""
    runner = web.AppRunner(make_model(lambda heard: tell(heard._asdict())), access_log=None)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    host, port = runner.addresses[0][:2]
    tell({"url": f"http://{host}:{port}"})
    await asyncio.to_thread(sys.stdin.buffer.read)
    await runner.cleanup()


if __name__ == "__main__":
    asyncio.run(serve())
