import tempfile
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest
from aiohttp import ClientSession, UnixConnector

from subsessiond.rpc.server import RpcServer
from tests.support.answers import OPERATOR, Answers, quiet_log


@pytest.fixture
def folder() -> Iterator[Path]:
    """Give a folder whose path is short enough for a socket."""
    with tempfile.TemporaryDirectory(prefix="rpc-") as name:
        yield Path(name)


@pytest.fixture
def answers() -> Answers:
    """Give methods with a memory."""
    return Answers()


@pytest.fixture
def log() -> Any:
    """Give a log that remembers."""
    return quiet_log()


@pytest.fixture
async def path(folder: Path, answers: Answers, log: Any) -> AsyncIterator[Path]:
    """Serve; give the socket's path."""
    server = RpcServer(answers.handlers(), lambda _sock, _authorization: OPERATOR, log)
    await server.start(folder / "s", holds_lock=True)
    yield folder / "s"
    answers.gate.set()
    await server.stop(grace_ms=500)


@pytest.fixture
async def session(path: Path) -> AsyncIterator[ClientSession]:
    """Give an HTTP client of the socket."""
    async with ClientSession("http://localhost", connector=UnixConnector(str(path))) as session:
        yield session
