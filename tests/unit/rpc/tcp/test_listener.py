import asyncio
import socket
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from aiohttp import ClientSession, ClientTimeout, ServerDisconnectedError, web

from subsessiond.rpc.site import Site
from subsessiond.rpc.socketfile import SocketFault
from subsessiond.rpc.tcp.listener import Route, TcpListener, bind
from tests.support.answers import quiet_log

PATIENCE = ClientTimeout(total=20)


class Place:
    """Something that is served, with a gate that its calls wait at."""

    def __init__(self) -> None:
        self.begun = asyncio.Event()
        self.gate = asyncio.Event()
        self.ended = 0

    async def answer(self, site: Site, request: web.BaseRequest) -> web.Response:
        """Answer."""
        body = await site.read(request)
        with site.call(request, None):
            self.begun.set()
            try:
                await self.gate.wait()
            finally:
                self.ended += 1
        return web.Response(body=body)


@pytest.fixture
def place() -> Place:
    """Give something to serve."""
    return Place()


@pytest_asyncio.fixture
async def listener(place: Place) -> AsyncIterator[TcpListener]:
    """Give one that has not been opened."""
    made = TcpListener(None, quiet_log())
    made.serve({"/place": Route(("POST",), place.answer)})
    yield made
    place.gate.set()
    await made.stop()


async def ask(port: int) -> tuple[int, bytes]:
    """Ask for the place."""
    async with (
        ClientSession(timeout=PATIENCE) as client,
        client.post(f"http://127.0.0.1:{port}/place", json={"x": 1}) as answer,
    ):
        return answer.status, await answer.read()


async def test_no_port_is_open_until_somebody_needs_one(
    listener: TcpListener, place: Place
) -> None:
    """Then everybody is given the same, and it is served."""
    await listener.start()
    assert listener.port is None
    ports = await asyncio.gather(*(listener.open() for _ in range(5)))
    assert set(ports) == {listener.port}
    assert await listener.address("/place") == f"http://127.0.0.1:{listener.port}/place"
    place.gate.set()
    assert await ask(ports[0]) == (200, b'{"x": 1}')


async def test_a_port_that_was_chosen_is_open_from_the_start() -> None:
    """Whoever has it already keeps it, and the daemon says so instead of taking another."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    first, second = TcpListener(port, quiet_log()), TcpListener(port, quiet_log())
    await first.start()
    assert first.port == port
    with pytest.raises(SocketFault, match=f"port {port} of loopback cannot be had"):
        await second.start()
    await second.stop()
    await first.stop()


def test_another_at_the_newer_address_alone_is_found_too() -> None:
    """Half a port would leave the other half of its name to a stranger."""
    if not socket.has_ipv6:
        pytest.skip("this system has no IPv6")
    with socket.socket(socket.AF_INET6) as other:
        try:
            other.bind(("::1", 0))
        except OSError:
            pytest.skip("this machine has no IPv6 loopback")
        other.listen()
        with pytest.raises(SocketFault, match="cannot be had"):
            bind(other.getsockname()[1])


async def test_what_is_under_way_may_end_and_nothing_else_begins(
    listener: TcpListener, place: Place
) -> None:
    """A stop waits for calls within its grace; afterwards no port is opened again."""
    port = await listener.open()
    asking = asyncio.ensure_future(ask(port))
    await place.begun.wait()
    stopping = asyncio.ensure_future(listener.stop(20_000))
    await asyncio.sleep(0)
    place.gate.set()
    assert (await asking)[0] == 200
    await stopping
    with pytest.raises(ConnectionRefusedError):
        await asyncio.open_connection("127.0.0.1", port)
    with pytest.raises(SocketFault, match="stops"):
        await listener.open()


async def test_what_does_not_end_is_ended(listener: TcpListener, place: Place) -> None:
    """Its caller is hung up on."""
    port = await listener.open()
    asking = asyncio.ensure_future(ask(port))
    await place.begun.wait()
    await listener.stop(grace_ms=10)
    with pytest.raises(ServerDisconnectedError):
        await asking
    assert place.ended == 1


async def test_who_hangs_up_is_not_worked_for(listener: TcpListener, place: Place) -> None:
    """Its call ends at once."""
    port = await listener.open()
    asking = asyncio.ensure_future(ask(port))
    await place.begun.wait()
    asking.cancel()
    async with asyncio.timeout(20):
        while not place.ended:  # noqa: ASYNC110 -- a count tells nobody
            await asyncio.sleep(0.005)


@pytest.mark.parametrize(
    "words",
    [
        b"",
        b"POST /place HTTP/1.1\r\nHost: 127",
        (
            b"POST /place HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\nContent-Type: application/json\r\n"
            b"Content-Length: 9\r\n\r\n{"
        ),
    ],
    ids=["nothing", "half a head", "half a body"],
)
async def test_who_sends_too_slowly_is_hung_up_on(place: Place, words: bytes) -> None:
    """It holds a place that somebody else may want."""
    listener = TcpListener(None, quiet_log(), idle_s=0.05, body_s=0.05)
    listener.serve({"/place": Route(("POST",), place.answer)})
    port = await listener.open()
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(words.replace(b"PORT", str(port).encode()))
    async with asyncio.timeout(20):
        assert await reader.read() == b""
    writer.close()
    assert not place.begun.is_set()
    await listener.stop()
