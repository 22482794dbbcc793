"""The pipe of lines: what comes as a line is answered by one, whoever does what at its ends."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from pathlib import Path

import pytest

from subsessiond.model.commands import Caller
from subsessiond.model.rejection import Code, Rejection
from subsessiond.rpc.call import Call
from subsessiond.rpc.dispatch import Answers as Split
from subsessiond.rpc.flow import IN_FLIGHT_MOST
from subsessiond.rpc.pipe import LINE_MOST_BYTES
from subsessiond.rpc.refused import Refused
from subsessiond.rpc.running import Running
from subsessiond.rpc.server import RpcServer
from tests.support.answers import OPERATOR, Answers, quiet_log

HELLO = b"POST /pipe HTTP/1.0\r\nContent-Length: 9007199254740991\r\n\r\n"
MIB = 1024 * 1024


class Echo:
    """Answers a line by its size or by so many bytes, or not before a gate opens."""

    def __init__(self) -> None:
        self.begun = 0
        self.gate = asyncio.Event()

    def split(self, raw: bytes, _call: Call) -> Split:
        """Understand `wait`, `gush N` and anything else."""
        return Split(calls=(self._answer(raw),))

    def refuse(self, _raw: bytes, rejection: Rejection) -> bytes | None:
        """Say the code."""
        return rejection.code.name.encode()

    def too_long(self, limit: int) -> bytes:
        """Say the limit."""
        return b"more than %d" % limit

    async def _answer(self, raw: bytes) -> bytes:
        self.begun += 1
        if raw == b"wait":
            await self.gate.wait()
        if raw.startswith(b"gush "):
            return b"x" * int(raw[5:])
        return b"%d" % len(raw)


class End:
    """The other end of a pipe."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader, self.writer = reader, writer

    async def line(self) -> bytes:
        """Read one line, without its end."""
        return (await asyncio.wait_for(self.reader.readuntil(b"\n"), 20))[:-1]

    async def ask(self, raw: bytes) -> bytes:
        """Write one line and read the next."""
        self.writer.write(raw + b"\n")
        await self.writer.drain()
        return await self.line()


async def hang_up(writer: asyncio.StreamWriter) -> None:
    """Close a connection and wait until it is."""
    writer.close()
    with suppress(ConnectionError):
        await writer.wait_closed()


@asynccontextmanager
async def piped(path: Path) -> AsyncIterator[End]:
    """Open a pipe."""
    reader, writer = await asyncio.open_unix_connection(str(path), limit=64 * MIB)
    try:
        writer.write(HELLO)
        head = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), 20)
        assert head.startswith(b"HTTP/1.0 200 ")
        yield End(reader, writer)
    finally:
        await hang_up(writer)


@pytest.fixture
def echo() -> Echo:
    """Give what answers."""
    return Echo()


Serve = Callable[..., Awaitable[Path]]


@pytest.fixture
async def serve(folder: Path, answers: Answers, echo: Echo) -> AsyncIterator[Serve]:
    """Give a way to serve for the length of a test."""
    servers = []

    async def start(
        identify: Callable[..., Caller] = lambda *_: OPERATOR,
        session: Callable[[Running], Echo] | None = lambda _running: echo,
    ) -> Path:
        server = RpcServer(answers.handlers(), identify, quiet_log(), session)
        servers.append(server)
        await server.start(folder / "s", holds_lock=True)
        return folder / "s"

    yield start
    echo.gate.set()
    for server in servers:
        await server.stop(grace_ms=500)


async def test_lines_are_answered_however_they_are_cut(serve: Serve) -> None:
    """Several in one write, one in many, with either end; empty ones are nothing."""
    async with piped(await serve()) as end:
        end.writer.write(b"one\r\n\n  \nthree\nfo")
        assert [await end.line(), await end.line()] == [b"3", b"5"]
        for byte in b"urteen":
            end.writer.write(bytes((byte,)))
            await end.writer.drain()
        assert await end.ask(b"") == b"8"


async def test_the_longest_line_is_taken_and_a_longer_one_told(serve: Serve) -> None:
    """Sixteen MiB pass; one byte more is refused by size, and the next line is heard again."""
    async with piped(await serve()) as end:
        assert await end.ask(b"x" * LINE_MOST_BYTES) == b"%d" % LINE_MOST_BYTES
        assert await end.ask(b"x" * (LINE_MOST_BYTES + 1)) == b"more than %d" % LINE_MOST_BYTES
        assert await end.ask(b"ok") == b"2"


async def test_more_than_may_run_at_once_waits_unread(serve: Serve, echo: Echo) -> None:
    """Calls are begun up to a bound; the rest is begun when one has ended."""
    async with piped(await serve()) as end:
        end.writer.write(b"wait\n" * (IN_FLIGHT_MOST + 20))
        await end.writer.drain()
        async with asyncio.timeout(10):
            while echo.begun < IN_FLIGHT_MOST:  # noqa: ASYNC110 -- nothing tells of each begin
                await asyncio.sleep(0.001)
        await asyncio.sleep(0)
        assert echo.begun == IN_FLIGHT_MOST
        echo.gate.set()
        assert [await end.line() for _ in range(IN_FLIGHT_MOST + 20)] == [b"4"] * (
            IN_FLIGHT_MOST + 20
        )


async def test_who_does_not_read_is_not_heard_any_more(serve: Serve, echo: Echo) -> None:
    """With its answers unread nothing more is begun, so that they cannot fill the memory."""
    async with piped(await serve()) as end:
        end.reader._transport.pause_reading()  # type: ignore[attr-defined]  # noqa: SLF001
        for _ in range(300):
            end.writer.write(b"gush %d\n" % (MIB // 4))
        for _ in range(200):
            begun = echo.begun
            await asyncio.sleep(0.001)
            if begun and begun == echo.begun:
                break
        assert 0 < echo.begun <= IN_FLIGHT_MOST
        end.reader._transport.resume_reading()  # type: ignore[attr-defined]  # noqa: SLF001
        for _ in range(300):
            assert len(await end.line()) == MIB // 4


async def test_who_hangs_up_is_forgotten(serve: Serve, echo: Echo) -> None:
    """A call under way ends by itself, its answer goes nowhere, and others are served."""
    path = await serve()
    async with piped(path) as end:
        end.writer.write(b"wait\nhalf a li")
        await end.writer.drain()
        assert await end.ask(b"ne") == b"11"
        end.writer.transport.abort()
    echo.gate.set()
    async with piped(path) as end:
        assert await end.ask(b"ok") == b"2"


async def test_the_server_ends_a_pipe_within_a_second(
    folder: Path, answers: Answers, echo: Echo
) -> None:
    """Whoever does not read, and whatever is under way: stopping closes the pipe."""
    server = RpcServer(answers.handlers(), lambda *_: OPERATOR, quiet_log(), lambda _: echo)
    await server.start(folder / "s", holds_lock=True)
    async with piped(folder / "s") as idle, piped(folder / "s") as busy:
        assert await idle.ask(b"ok") == b"2"
        busy.writer.write(b"wait\n")
        await busy.writer.drain()
        await asyncio.wait_for(server.stop(grace_ms=500), 3)
        for end in (idle, busy):
            assert await asyncio.wait_for(end.reader.read(), 3) == b""


async def test_who_does_not_read_does_not_hold_up_the_end(
    folder: Path, answers: Answers, echo: Echo
) -> None:
    """What waits to be sent is given a moment, and then dropped."""
    server = RpcServer(answers.handlers(), lambda *_: OPERATOR, quiet_log(), lambda _: echo)
    await server.start(folder / "s", holds_lock=True)
    async with piped(folder / "s") as end:
        end.reader._transport.pause_reading()  # type: ignore[attr-defined]  # noqa: SLF001
        end.writer.write(b"gush %d\nwait\n" % (8 * MIB))
        async with asyncio.timeout(10):
            while echo.begun < 2:  # noqa: ASYNC110 -- nothing tells of each begin
                await asyncio.sleep(0.001)
        await asyncio.wait_for(server.stop(grace_ms=500), 3)


async def test_a_refused_caller_is_told_in_the_words_of_its_protocol(serve: Serve) -> None:
    """Each line gets the refusal; the pipe itself is there."""

    def identify(*_: object) -> Caller:
        raise Refused(Rejection(code=Code.NOT_ALLOWED, step="identity"))

    async with piped(await serve(identify)) as end:
        assert await end.ask(b"one") == b"NOT_ALLOWED"
        assert await end.ask(b"two") == b"NOT_ALLOWED"


async def test_a_node_has_so_many_streams_and_no_more(serve: Serve) -> None:
    """Pipes count as streams do; one more than allowed is refused before it is opened."""
    child = Caller(node_id="n")  # type: ignore[arg-type]
    path = await serve(lambda *_: child)
    ends = [await asyncio.open_unix_connection(str(path)) for _ in range(17)]
    heads = []
    for reader, writer in ends:
        writer.write(HELLO)
        heads.append(await asyncio.wait_for(reader.readuntil(b"\r\n"), 10))
    assert [b"200" in head for head in heads] == [True] * 16 + [False]
    assert b"503" in heads[-1]
    for _, writer in ends:
        await hang_up(writer)


@pytest.mark.parametrize(
    ("request_line", "more", "status"),
    [
        (b"GET /pipe", b"", b"405"),
        (b"POST /pipe", b"Origin: http://localhost\r\n", b"403"),
        (b"POST /pipes", b"", b"404"),
    ],
)
async def test_what_is_no_pipe_is_refused(
    serve: Serve, request_line: bytes, more: bytes, status: bytes
) -> None:
    """Another method, a browser, another path: an answer by HTTP."""
    reader, writer = await asyncio.open_unix_connection(str(await serve()))
    writer.write(request_line + b" HTTP/1.0\r\n" + more + b"Content-Length: 0\r\n\r\n")
    head = await asyncio.wait_for(reader.read(), 10)
    assert head.split(b" ")[1] == status
    await hang_up(writer)


async def test_without_sessions_there_is_no_pipe(serve: Serve) -> None:
    """A server that was given nothing to answer lines has no such path."""
    reader, writer = await asyncio.open_unix_connection(str(await serve(session=None)))
    writer.write(HELLO)
    assert b"404" in await asyncio.wait_for(reader.readuntil(b"\r\n"), 10)
    await hang_up(writer)


async def test_a_quiet_pipe_is_not_sent_away_for_a_newcomer(
    serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A pipe is in use however long nothing is said: those who only sit on the socket go first."""
    monkeypatch.setattr("subsessiond.rpc.server.connections_most", lambda: 3)
    path = await serve()
    async with piped(path) as end:
        others = [await asyncio.open_unix_connection(str(path)) for _ in range(6)]
        assert await asyncio.wait_for(others[0][0].read(), 10) == b""
        assert await end.ask(b"ok") == b"2"
        for _, writer in others:
            await hang_up(writer)


async def test_half_lines_have_a_bound_together(serve: Serve) -> None:
    """Who holds much of a line that does not end is sent away when all hold too much."""
    path = await serve()
    half = b"x" * (15 * MIB)
    async with AsyncExitStack() as stack:
        ends = [await stack.enter_async_context(piped(path)) for _ in range(5)]
        for end in ends:
            end.writer.write(half)
        gone = [asyncio.ensure_future(end.reader.read()) for end in ends]
        done, waiting = await asyncio.wait(gone, timeout=20, return_when=asyncio.FIRST_COMPLETED)
        assert done
        assert waiting
        for one in waiting:
            one.cancel()
        await asyncio.wait(gone)
    async with piped(path) as end:
        assert await end.ask(b"ok") == b"2"
