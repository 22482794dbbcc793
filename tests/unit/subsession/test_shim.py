"""The shim alone: a process between pipes and a socket that a test holds the other ends of."""

import contextlib
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from subsession import shim

WITHIN_S = 20.0
ANSWER = b"HTTP/1.0 200 OK\r\nContent-Type: x\r\n\r\n"
LARGE = 16 * 1024 * 1024


class Pair:
    """A shim that is connected, and the daemon's end of its socket."""

    def __init__(self, path: Path, *, answer: bytes = ANSWER) -> None:
        self.path = path
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(str(path))
            listener.listen()
            listener.settimeout(WITHIN_S)
            self.process = start(path)
            self.daemon, _ = listener.accept()
        self.daemon.settimeout(WITHIN_S)
        self.hello = self.read(len(shim.HELLO))
        self.daemon.sendall(answer)

    def read(self, size: int) -> bytes:
        """Read what the shim brings."""
        data = b""
        while len(data) < size and (chunk := self.daemon.recv(min(65_536, size - len(data)))):
            data += chunk
        return data

    def end(self) -> tuple[bytes, bytes, int]:
        """Wait for the shim's end; gives what it wrote and its status."""
        assert self.process.stdout is not None
        assert self.process.stderr is not None
        out, err = self.process.stdout.read(), self.process.stderr.read()
        return out, err, self.process.wait(WITHIN_S)

    def discard(self) -> None:
        """End it, whatever it does."""
        self.daemon.close()
        self.process.kill()
        self.process.wait()
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            assert stream is not None
            with contextlib.suppress(BrokenPipeError):
                stream.close()


def start(*arguments: str | Path) -> "subprocess.Popen[bytes]":
    """Start a shim as an agent would, with no environment."""
    argv = [sys.executable, "-I", "-S", shim.__file__, *map(str, arguments)]
    pipe = subprocess.PIPE
    return subprocess.Popen(argv, stdin=pipe, stdout=pipe, stderr=pipe, env={})


@pytest.fixture
def folder() -> Iterator[Path]:
    """Give a folder whose path is short enough for a socket."""
    with tempfile.TemporaryDirectory(prefix="shim-") as name:
        yield Path(name)


@pytest.fixture
def pair(folder: Path) -> Iterator[Pair]:
    """Give a connected shim."""
    made = Pair(folder / "s")
    yield made
    made.discard()


def test_it_asks_for_an_endless_pipe(pair: Pair) -> None:
    """One request of HTTP/1.0, whose body does not end: nothing has to be framed."""
    assert pair.hello == shim.HELLO
    assert shim.HELLO.startswith(b"POST /pipe HTTP/1.0\r\n")


def test_bytes_go_both_ways_unchanged(pair: Pair) -> None:
    """Whatever they are: nothing is read, split or mended."""
    assert pair.process.stdin is not None
    assert pair.process.stdout is not None
    odd = bytes(range(256)) + b"\n{not json"
    os.write(pair.process.stdin.fileno(), odd)
    assert pair.read(len(odd)) == odd
    pair.daemon.sendall(odd[::-1])
    assert os.read(pair.process.stdout.fileno(), 1_000) == odd[::-1]


def test_what_comes_with_the_answer_is_not_lost(folder: Path) -> None:
    """The daemon's first words may be in the same bytes as its head."""
    pair = Pair(folder / "s", answer=ANSWER + b"first\n")
    pair.daemon.sendall(b"second\n")
    pair.daemon.close()
    out, _, _ = pair.end()
    pair.discard()
    assert out == b"first\nsecond\n"


def test_a_slow_reader_gets_all_of_it(pair: Pair) -> None:
    """More than any pipe holds passes in both directions, though nobody reads at first."""
    assert pair.process.stdin is not None
    data = os.urandom(LARGE)
    writer = threading.Thread(target=pair.process.stdin.write, args=(data,))
    writer.start()
    sender = threading.Thread(target=pair.daemon.sendall, args=(data,))
    sender.start()
    assert pair.process.stdout is not None
    assert pair.process.stdout.read(LARGE) == data
    assert pair.read(LARGE - 8_192) == data[: LARGE - 8_192]
    pair.process.stdin.flush()
    pair.read(8_192)
    writer.join(WITHIN_S)
    sender.join(WITHIN_S)


def test_it_ends_with_the_agent(pair: Pair) -> None:
    """End of input is the end, without a word, though the daemon holds on."""
    assert pair.process.stdin is not None
    pair.process.stdin.close()
    assert pair.process.wait(WITHIN_S) == 0
    assert pair.read(1) == b""
    assert pair.process.stderr is not None
    assert pair.process.stderr.read() == b""


def test_it_ends_when_nobody_reads_it_any_more(pair: Pair) -> None:
    """An agent that has closed its side is gone: no trace is written."""
    assert pair.process.stdout is not None
    pair.process.stdout.close()
    pair.daemon.sendall(b"x\n")
    assert pair.process.wait(WITHIN_S) == 0
    assert pair.process.stderr is not None
    assert pair.process.stderr.read() == b""


def test_it_ends_with_the_daemon_and_says_so(pair: Pair) -> None:
    """One line, which names the socket, and a status that is no success."""
    pair.daemon.close()
    out, err, status = pair.end()
    assert (out, status) == (b"", shim.DAEMON_LOST)
    path = re.escape(str(pair.path))
    assert re.fullmatch(rf"subsession shim: cannot reach the daemon at {path}: .+\n", err.decode())


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_it_without_a_trace(pair: Pair, number: signal.Signals) -> None:
    """Agents end their servers so; nothing is written."""
    pair.process.send_signal(number)
    out, err, status = pair.end()
    assert (out, err) == (b"", b"")
    assert status == -number


@pytest.mark.parametrize("answer", [b"HTTP/1.0 503 Busy\r\n\r\n", b"\r\n\r\n", b"nonsense\r\n\r\n"])
def test_another_answer_is_told(folder: Path, answer: bytes) -> None:
    """Whoever turns the pipe away, or is no daemon at all, is named with what it said."""
    pair = Pair(folder / "s", answer=answer)
    _, err, status = pair.end()
    pair.discard()
    assert status == shim.DAEMON_LOST
    assert b"it answered" in err


@pytest.mark.parametrize("what", ["nothing", "file", "leftover"])
def test_where_no_daemon_is_it_says_so_at_once(folder: Path, what: str) -> None:
    """No socket, no such kind of file, nobody behind it: one line and a status."""
    path = folder / "s"
    if what == "file":
        path.touch()
    if what == "leftover":
        with socket.socket(socket.AF_UNIX) as left:
            left.bind(str(path))
    with start(path) as process:
        out, err = process.communicate(timeout=WITHIN_S)
    assert (out, process.returncode) == (b"", shim.DAEMON_LOST)
    assert err.count(b"\n") == 1


def test_anothers_socket_is_not_used(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A socket of another user could pose as the daemon."""
    path = folder / "s"
    path.touch()
    monkeypatch.setattr(os, "getuid", lambda: os.stat(path).st_uid + 1)
    with pytest.raises(shim.Lost, match="another user"):
        shim.connect(str(path))


@pytest.mark.parametrize("arguments", [(), ("a", "b"), ("--help",)])
def test_it_takes_one_argument(arguments: tuple[str, ...]) -> None:
    """Anything else is answered by how it is used."""
    with start(*arguments) as process:
        _, err = process.communicate(timeout=WITHIN_S)
    assert process.returncode == shim.MISUSED
    assert err.startswith(b"usage: ")


def test_it_loads_next_to_nothing() -> None:
    """It needs no more than the interpreter has loaded already, but for modules in C."""
    source = Path(shim.__file__).read_text()
    loaded = re.findall(r"^(?:from|import) (\w+)", source, re.MULTILINE)
    assert sorted(loaded) == ["_signal", "_socket", "_thread", "os", "sys"]
