"""MCP over HTTP on a bench: a port of its own, and a client that speaks as any node."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, Self

import structlog
from aiohttp import ClientSession, ClientTimeout

from subsessiond.model.ids import NodeId
from subsessiond.rpc.mcp.streamable import METHODS, PATH, Streamable
from subsessiond.rpc.mcp.toolbox import Toolbox
from subsessiond.rpc.tcp.listener import Route, TcpListener
from tests.support.answers import quiet_log
from tests.support.desk import Bench
from tests.support.loopback import Reply


class Site:
    """A port on which the tools of a bench are served; a node's id is its token too."""

    def __init__(self, bench: Bench, progress_s: float) -> None:
        self.bench = bench
        self.listener = TcpListener(None, quiet_log())
        self.over: set[str] = set()
        """Nodes whose tokens have ended."""
        self.streams = asyncio.Event()
        """Set once an answer has begun as a stream."""
        toolbox = Toolbox(bench.desk, bench.methods, structlog.get_logger())
        self.served = Streamable(toolbox, self._node_of, self.listener.running, progress_s)
        bench.registry.listen(self.served.on_events)
        self.listener.serve({PATH: Route(METHODS, self.served.answer)})
        self._client: ClientSession

    async def __aenter__(self) -> Self:
        self._client = ClientSession(timeout=ClientTimeout(total=20))
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._client.close()
        await self.listener.stop(0)

    def _node_of(self, token: str) -> NodeId | None:
        known = token in self.bench.tree.nodes and token not in self.over
        return NodeId(token) if known else None

    async def ask(self, node: str, body: bytes, *, method: str = "POST", **headers: Any) -> Reply:
        """Make one request as a node; words of headers have `_` for `-`, none leaves one out."""
        address = await self.listener.address(PATH)
        sent: dict[str, Any] = {
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
            "Authorization": f"Bearer {node}",
        }
        sent |= {name.replace("_", "-"): value for name, value in headers.items()}
        given = {name: value for name, value in sent.items() if value is not None}
        async with self._client.request(method, address, data=body, headers=given) as answer:
            if answer.content_type == "text/event-stream":
                self.streams.set()
            told = {name.lower(): value for name, value in answer.headers.items()}
            return Reply(answer.status, told, await answer.read())

    def asking(self, node: str, body: bytes, **headers: Any) -> "asyncio.Task[Reply]":
        """Begin the same."""
        return asyncio.create_task(self.ask(node, body, **headers))


@asynccontextmanager
async def a_site(bench: Bench, progress_s: float = 15.0) -> AsyncIterator[Site]:
    """Serve a bench."""
    async with Site(bench, progress_s) as site:
        yield site


async def under_way(site: Site, count: int = 1) -> None:
    """Wait until so many calls of tools wait for something."""
    async with asyncio.timeout(20):
        while site.bench.desk.guard.in_flight != count:  # noqa: ASYNC110 -- a count tells nobody
            await asyncio.sleep(0.005)


def of_events(reply: Reply) -> list[Any]:
    """Give the messages of an answer that has to be a stream."""
    assert reply.headers["content-type"] == "text/event-stream", reply
    return reply.events
