"""The side of an agent in an MCP session: in memory on a bench, or behind a real shim."""

import asyncio
import json
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Self

import structlog

from subsessiond.model.commands import Caller
from subsessiond.parts import shim_command
from subsessiond.rpc.flow import Flow
from subsessiond.rpc.mcp.session import Session
from subsessiond.rpc.mcp.toolbox import Toolbox
from subsessiond.rpc.running import Running
from tests.support.desk import Bench

WITHIN_S = 20.0


class Agent:
    """Speaks to a session as one caller; everything in one event loop."""

    def __init__(self, bench: Bench, caller: Caller, progress_s: float = 15.0) -> None:
        log = structlog.get_logger()
        self.running = Running()
        self.session = Session(
            Toolbox(bench.desk, bench.methods, log), self.running, progress_s=progress_s
        )
        self.flow = Flow(self, self.session, lambda: caller, self.running)
        self.heard: list[Any] = []
        """Everything that was said to it, in order."""
        self._news = asyncio.Event()
        self._count = 0

    def write(self, messages: Sequence[bytes]) -> None:
        """Hear."""
        self.heard += map(json.loads, messages)
        self._news.set()

    def is_congested(self) -> bool:
        """Never behind."""
        return False

    async def drain(self) -> None:
        """Never behind."""

    async def send(self, message: Any) -> None:
        """Say something; bytes as they are."""
        raw = message if isinstance(message, bytes) else json.dumps(message).encode()
        await self.flow.take(raw)

    async def ask(self, method: str, **params: Any) -> Any:
        """Make a request and give the whole answer to it."""
        self._count += 1
        call_id = f"a{self._count}"
        await self.send({"jsonrpc": "2.0", "id": call_id, "method": method, "params": params})
        return await self.answer(call_id)

    async def answer(self, call_id: Any) -> Any:
        """Wait for the answer to a request."""
        await self.until(lambda: any(is_answer(one, call_id) for one in self.heard))
        return next(one for one in self.heard if is_answer(one, call_id))

    async def until(self, condition: Callable[[], bool]) -> None:
        """Wait until something is true of what was heard."""
        async with asyncio.timeout(WITHIN_S):
            while not condition():
                self._news.clear()
                await self._news.wait()

    async def tool(self, name: str, **arguments: Any) -> Any:
        """Call a tool and give its result."""
        return (await self.ask("tools/call", name=name, arguments=arguments))["result"]

    async def text(self, name: str, **arguments: Any) -> str:
        """Call a tool that is to succeed, and give its one text."""
        result = await self.tool(name, **arguments)
        assert not result["isError"], result
        (content,) = result["content"]
        return str(content["text"])

    async def leave(self) -> None:
        """End the session and all it has under way."""
        self.flow.close()
        await self.running.stop()


def is_answer(message: Any, call_id: Any) -> bool:
    """Tell whether a message answers a request."""
    return isinstance(message, dict) and message.get("id") == call_id


class Shimmed:
    """Speaks to a real daemon through a real shim that this process has started."""

    def __init__(self, socket: Path, *before: str) -> None:
        self.process = subprocess.Popen(
            [*before, *shim_command(socket)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={},
        )
        self._count = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.communicate()

    def send(self, raw: bytes) -> None:
        """Write bytes as they are."""
        assert self.process.stdin is not None
        self.process.stdin.write(raw)
        self.process.stdin.flush()

    def hear(self) -> Any:
        """Read the next line."""
        assert self.process.stdout is not None
        return json.loads(self.process.stdout.readline())

    def ask(self, method: str, **params: Any) -> Any:
        """Make a request and read the answer, which must be the next line."""
        self._count += 1
        request = {"jsonrpc": "2.0", "id": self._count, "method": method, "params": params}
        self.send(json.dumps(request).encode() + b"\n")
        answer = self.hear()
        assert answer["id"] == self._count, answer
        return answer

    def tool(self, name: str, **arguments: Any) -> Any:
        """Call a tool and give its result."""
        return self.ask("tools/call", name=name, arguments=arguments)["result"]
