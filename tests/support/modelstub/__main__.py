"""Serves until it is interrupted, and prints a line for each request."""

import argparse
import asyncio

from tests.support.modelstub.server import Stub

FOR_EVER = 10.0**8


async def serve(port: int) -> None:
    """Serve on a port; say each request when it is answered."""
    async with Stub(port=port) as stub:
        print(f"model stub on {stub.url}", flush=True)  # noqa: T201
        while True:
            await stub.wait_until(lambda stub: bool(stub.requests), FOR_EVER)
            request = stub.requests.pop(0)
            line = (
                request.api,
                request.model,
                f"{request.size} B",
                f"{len(request.offered)} tools",
            )
            print(*line, flush=True)  # noqa: T201


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, default=8099)
    asyncio.run(serve(parser.parse_args().port))
