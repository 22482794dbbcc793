import socket
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from subsession.errors import Unreachable
from subsession.mcp.link import Link
from tests.support.fake_daemon import HangUp, Refuse, fake_daemon


@pytest.fixture
def path() -> Iterator[Path]:
    """Give a socket's path that is short enough."""
    with tempfile.TemporaryDirectory(prefix="link-") as name:
        yield Path(name) / "s"


def test_calls_come_before_the_pipe_on_one_connection(path: Path) -> None:
    """Each is answered whole, refusals too; then lines go both ways."""

    def refuse(_: object) -> dict[str, object]:
        raise Refuse(9002, "not allowed", code="NOT_ALLOWED")

    with fake_daemon(path, {"a": {"text": "é" * 70_000}, "b": refuse}) as daemon:
        link = Link(path)
        assert link.call("a", {"x": 1})["result"]["text"] == "é" * 70_000
        assert link.call("b", {})["error"]["data"]["code"] == "NOT_ALLOWED"
        link.open()
        link.send(b"one")
        lines = link.lines()
        assert next(lines) == b"one"
        link.close()
        assert list(lines) == []
        assert daemon.params_of("a") == {"x": 1}


def test_a_token_is_shown_where_there_is_one(path: Path) -> None:
    """In the head of the pipe, once."""
    with fake_daemon(path) as daemon:
        for token in ("", "secret"):
            link = Link(path)
            link.open(token)
            link.send(b"x")
            assert next(link.lines()) == b"x"
            link.close()
        assert daemon.tokens == [None, "Bearer secret"]


def test_nobody_there_is_said(path: Path) -> None:
    """With the path that was tried."""
    with pytest.raises(Unreachable, match="none is running"):
        Link(path)


def test_a_daemon_that_hangs_up_in_the_middle_of_a_call_is_said(path: Path) -> None:
    """Nothing is taken for an answer."""

    def hang_up(_: object) -> dict[str, object]:
        raise HangUp

    with fake_daemon(path, {"a": hang_up}):
        link = Link(path)
        with pytest.raises(Unreachable, match="hung up"):
            link.call("a", {})
        link.close()


@pytest.mark.parametrize(
    "answer",
    [
        b"HTTP/1.1 404 Not Found\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n[]",
        b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n{x}",
        b"SSH-2.0-x\r\n\r\n",
    ],
)
def test_who_is_no_daemon_is_said(path: Path, answer: bytes) -> None:
    """What it answered stands in the message, as far as it is a status."""
    with stranger(path, answer):
        link = Link(path)
        with pytest.raises(Unreachable, match="it answered"):
            link.call("a", {})
        link.close()


def test_a_pipe_is_opened_by_a_daemon_alone(path: Path) -> None:
    """Any other status is none."""
    with stranger(path, b"HTTP/1.1 403 Forbidden\r\n\r\n"):
        link = Link(path)
        with pytest.raises(Unreachable, match="403"):
            link.open()
        link.close()


class stranger:  # noqa: N801  # read as a sentence
    """Gives one answer to whoever connects first, for the length of a block."""

    def __init__(self, path: Path, answer: bytes) -> None:
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(str(path))
        self._listener.listen()
        self._thread = threading.Thread(target=self._answer, args=(answer,))
        self._thread.start()

    def _answer(self, answer: bytes) -> None:
        with self._listener.accept()[0] as sock:
            sock.recv(4_096)
            sock.sendall(answer)
            sock.recv(4_096)

    def __enter__(self) -> None:
        """Serve."""

    def __exit__(self, *_: object) -> None:
        self._thread.join(20)
        self._listener.close()
