"""The sync client: one connection over the unix socket, standard library only."""

import http.client
import os
from pathlib import Path
from types import TracebackType
from typing import Self

from subsession.connect import Place, find_place, listening, open_socket, why_not
from subsession.errors import ProtocolMismatch, Unanswered, Unreachable
from subsession.frames import answer_limit_s, check_protocol, headers, request, result
from subsession.mirror import Steps
from subsession.start import start_daemon
from subsession.verbs import Json, Verbs


class SocketConnection(http.client.HTTPConnection):
    """HTTP over a unix socket."""

    def __init__(self, path: Path, timeout_s: float) -> None:
        super().__init__("localhost", timeout=timeout_s)
        self._path = path
        self._timeout_s = timeout_s

    def connect(self) -> None:
        """Open the socket."""
        self.sock = open_socket(self._path, self._timeout_s)


class Client(Verbs[Json]):
    """Talks to the daemon of this user. Not for several threads at once.

    Args:
        socket: path of the daemon's socket; absent: as the environment and custom say.
        state_dir: the daemon's state directory; absent: as the environment and custom say.
        token: a node's token, which narrows the caller to that node; absent: the environment's.
        start: start a daemon when none runs (never from within a node).
    """

    def __init__(
        self,
        socket: str | os.PathLike[str] | None = None,
        *,
        state_dir: str | os.PathLike[str] | None = None,
        token: str | None = None,
        start: bool = False,
    ) -> None:
        self.place = find_place(os.environ, _text(socket), _text(state_dir))
        self.token = token if token is not None else os.environ.get("SUBSESSION_TOKEN")
        self.may_start = start and not self.token
        """Whether connecting may start a daemon."""
        self._connection: SocketConnection | None = None
        self._calls = 0
        self.socket: Path | None = None
        """The socket it is connected to, after the first call."""

    def call(self, method: str, params: Json) -> Json:
        """Call one method by name and give its result object.

        Raises:
            Unreachable: no daemon answers; nothing was sent.
            StartFailed: a daemon was started and did not come up.
            Unanswered: the connection broke; the call may have arrived.
            ProtocolMismatch: the daemon speaks another protocol.
            Refused: the daemon refused.
            Misused: the daemon could not take the call.
            Broken: the daemon met a bug.
        """
        if self._connection is None:
            self.connect()
        return self._send(method, params)

    def follow(self, steps: Steps) -> None:
        """Make the calls of a generator of calls until it is done."""
        try:
            ask = next(steps)
            while True:
                ask = steps.send(self.call(ask.method, ask.params))
        except StopIteration:
            return

    def connect(self, *, any_protocol: bool = False) -> Json:
        """Connect, and check that both sides speak the same protocol.

        Args:
            any_protocol: go on though the daemon speaks another one.

        Returns:
            The answer of `daemon.info`.
        """
        self.close()
        self.socket = choose_socket(self.place, may_start=self.may_start)
        self._connection = SocketConnection(self.socket, timeout_s=5.0)
        self._connection.connect()
        info = self._send("daemon.info", {})
        try:
            if not any_protocol:
                check_protocol(info)
        except ProtocolMismatch:
            self.close()
            raise
        return info

    def _send(self, method: str, params: Json) -> Json:
        """Send one call on the open connection and read its reply."""
        connection = self._connection
        if connection is None or connection.sock is None:
            raise Unreachable("the connection is closed", str(self.socket))
        self._calls += 1
        connection.sock.settimeout(answer_limit_s(params))
        try:
            connection.request(
                "POST", "/rpc", request(method, params, self._calls), headers(self.token)
            )
            reply = connection.getresponse()
            status, body = reply.status, reply.read()
        except (OSError, http.client.HTTPException) as fault:
            self.close()
            raise Unanswered(method, str(fault) or type(fault).__name__) from fault
        except KeyboardInterrupt:
            self.close()  # its answer would stand in the way of the next call
            raise
        if (
            connection.sock is None
        ):  # the daemon closes after this answer; call again, connect again
            self.close()
        return result(status, body)

    def close(self) -> None:
        """Close the connection; the next call opens a new one."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        fault: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def _text(path: str | os.PathLike[str] | None) -> str | None:
    """Give a path as text."""
    return None if path is None else os.fspath(path)


def choose_socket(place: Place, *, may_start: bool) -> Path:
    """Give the socket of a running daemon; start one if allowed.

    Raises:
        Unreachable: none runs and none may be started.
        StartFailed: it was started and did not come up.
    """
    if found := listening(place):
        return found
    if may_start:
        return start_daemon(place)
    raise why_not(place)
