"""S20: one process floods the socket while somebody else comes."""

import asyncio
import contextlib
import json
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from subsessiond.rpc import server
from subsessiond.rpc.server import RpcServer
from tests.support.answers import OPERATOR, Answers, quiet_log

PLACES = 8
BEFORE, AFTER = 20, 60
"""Together fewer than the loop accepts in one turn, so that all are let in before any is read."""

FLOOD = """
import socket, sys
held = []
for line in sys.stdin:
    for _ in range(int(line)):
        sock = socket.socket(socket.AF_UNIX)
        sock.connect(sys.argv[1])
        held.append(sock)
    print("in", flush=True)
"""

BODY = b'{"jsonrpc":"2.0","method":"daemon.health","id":1}'
HEAD = (
    b"POST /rpc HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n"
)
CALL = HEAD % len(BODY) + BODY


@contextlib.contextmanager
def flood(path: Path) -> Iterator[Any]:
    """Give a way to let another process connect so many times, before anything else happens."""
    argv = [sys.executable, "-c", FLOOD, str(path)]
    with subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as child:

        def connect(times: int) -> None:
            assert child.stdin is not None
            assert child.stdout is not None
            child.stdin.write(f"{times}\n")
            child.stdin.flush()
            assert child.stdout.readline() == "in\n"

        try:
            yield connect
        finally:
            child.kill()


@pytest.mark.scenario("S20")
async def test_who_comes_in_the_middle_of_a_flood_is_heard(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A connection let in among many of one process is not the one to go before it was read."""
    monkeypatch.setattr(server, "connections_most", lambda: PLACES)
    rpc = RpcServer(Answers().handlers(), lambda _sock, _authorization: OPERATOR, quiet_log())
    await rpc.start(folder / "s", holds_lock=True)
    with flood(folder / "s") as connect, socket.socket(socket.AF_UNIX) as mine:
        # No await until all of them stand at the door: the loop lets them in in one turn.
        connect(BEFORE)
        mine.connect(str(folder / "s"))
        mine.sendall(CALL)
        connect(AFTER)
        mine.setblocking(False)
        async with asyncio.timeout(20):
            said = await asyncio.get_running_loop().sock_recv(mine, 65_536)
    assert json.loads(said.partition(b"\r\n\r\n")[2])["result"]["ok"] is True
    await rpc.stop(grace_ms=500)
