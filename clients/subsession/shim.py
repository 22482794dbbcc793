"""The MCP server that an agent starts: a dumb pipe between its own stdio and the daemon's socket.

    python -I -S shim.py SOCKET

It holds no text, reads no JSON and knows no tool: the daemon answers every line. So one costs as
little as an interpreter does, of which there is one a child. It ends as soon as either side ends.
"""

import os
import sys

# Why the C modules: what stands around them takes longer to load than all the rest here.
from _signal import SIG_DFL, SIGINT, signal  # type: ignore[import-not-found]
from _socket import AF_UNIX, SOCK_STREAM, socket
from _thread import allocate_lock, start_new_thread

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

HELLO = (
    # Why 1.0 and this length: then the body is all that follows, and so is the answer.
    b"POST /pipe HTTP/1.0\r\n"
    b"Content-Type: application/octet-stream\r\n"
    b"Content-Length: 9007199254740991\r\n\r\n"
)
CHUNK_BYTES = 64 * 1024
ANSWER_BYTES = 16 * 1024
DAEMON_LOST = 1
MISUSED = 2


class Lost(Exception):
    """The daemon cannot be spoken to; says why."""


def connect(path: str) -> tuple[socket, bytes]:
    """Open the pipe.

    Returns:
        The socket, and what the daemon said already.

    Raises:
        Lost: nobody serves there, or somebody who is not us.
    """
    try:
        if os.lstat(path).st_uid != os.getuid():
            raise Lost("the socket belongs to another user")
        daemon = socket(AF_UNIX, SOCK_STREAM)
        daemon.connect(path)
        daemon.sendall(HELLO)
        answer = b""
        while b"\r\n\r\n" not in answer and len(answer) < ANSWER_BYTES:
            chunk = daemon.recv(CHUNK_BYTES)
            if not chunk:
                raise Lost("it hung up")
            answer += chunk
    except OSError as fault:
        raise Lost(fault.strerror or str(fault)) from fault
    head, _, rest = answer.partition(b"\r\n\r\n")
    status = head.partition(b"\r\n")[0]
    if status.split(b" ")[1:2] != [b"200"]:
        raise Lost(f"it answered {status.decode('ascii', 'replace')}")
    return daemon, rest


def carry(daemon: socket, rest: bytes) -> None:
    """Carry both ways until either side ends.

    Raises:
        Lost: it was the daemon's.
    """
    first, over = allocate_lock(), allocate_lock()
    over.acquire()
    ends: list[str] = []

    def work(way: "Callable[[socket, bytes], str]") -> None:
        why = way(daemon, rest)
        if first.acquire(blocking=False):
            ends.append(why)
            over.release()

    start_new_thread(work, (down,))
    start_new_thread(work, (up,))
    over.acquire()
    if ends[0]:
        raise Lost(ends[0])


def down(daemon: socket, _: bytes) -> str:
    """Carry the agent's words to the daemon; gives what is wrong when they end."""
    try:
        while chunk := os.read(0, CHUNK_BYTES):
            daemon.sendall(chunk)
    except OSError as fault:
        return fault.strerror or str(fault)
    return ""


def up(daemon: socket, rest: bytes) -> str:
    """Carry the daemon's words to the agent; gives what is wrong when they end."""
    try:
        write(rest)
        while chunk := daemon.recv(CHUNK_BYTES):
            write(chunk)
    except BrokenPipeError:  # the agent's end: it is gone, and nobody is left to be told
        return ""
    except OSError as fault:
        return fault.strerror or str(fault)
    return "it hung up"


def write(data: bytes) -> None:
    """Write all of it to standard output, however little goes at once."""
    while data:
        data = data[os.write(1, data) :]


def main(argv: list[str]) -> int:
    """Run the pipe and give the exit status."""
    # Why: Python's own handler needs the first thread, which waits where no signal may wake it.
    signal(SIGINT, SIG_DFL)
    given = argv[1:]
    if len(given) != 1 or given[0].startswith("-"):
        os.write(2, b"usage: python -I -S shim.py SOCKET\n")
        return MISUSED
    try:
        carry(*connect(given[0]))
    except Lost as lost:
        line = f"subsession shim: cannot reach the daemon at {given[0]}: {lost}\n"
        os.write(2, line.encode("utf-8", "surrogateescape"))
        return DAEMON_LOST
    return 0


if __name__ == "__main__":
    # Why not a plain exit: the thread that is still waiting on the other side is not waited for.
    os._exit(main(sys.argv))
