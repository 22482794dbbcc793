"""Children of the `model` runner for tests: a model server in this process, and their tables."""

import asyncio
import threading
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from typing import Any, Final, TypeVar

from tests.support.modelstub import Stub, script

T = TypeVar("T")
WAIT_S: Final = 20.0
KEY: Final = "STUB_KEY"
SECRET: Final = "sk-loop-0123456789abcdefghijklmnop"
ENVIRON: Final = {KEY: SECRET}
"""The environment of a daemon whose loops have a key."""

ROLES: Final = """
[worker]
tier = "{dialect}"
tools = ["read", "edit", "delete", "execute", "search"]
token_cap = 20_000

[reader]
tier = "{dialect}"
tools = ["read", "search"]
token_cap = 20_000

[boss]
tier = "{dialect}"
depth_cap = 2
tools = ["read", "edit", "delete", "execute", "search", "delegate"]
token_cap = 200_000
"""


class Served:
    """A stub in a loop and thread of its own, for tests that talk to a daemon from outside."""

    def __init__(self, stub: Stub, loop: asyncio.AbstractEventLoop) -> None:
        self.stub = stub
        self._loop = loop

    def do(self, work: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """Wait for something in the stub's loop."""
        return asyncio.run_coroutine_threadsafe(work(), self._loop).result(WAIT_S)

    def wait_until(self, wanted: Callable[[Stub], bool]) -> None:
        """Return when something is so."""
        self.do(lambda: self.stub.wait_until(wanted))

    def wait_held(self, name: str) -> None:
        """Return when a request waits at a name."""
        self.do(lambda: self.stub.wait_held(name))

    def release(self, name: str) -> None:
        """Let everything go that waits at a name."""
        self._loop.call_soon_threadsafe(self.stub.release, name)


@contextmanager
def served() -> Iterator[Served]:
    """Serve models until the test is over."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    stub = Stub()
    asyncio.run_coroutine_threadsafe(stub.__aenter__(), loop).result(WAIT_S)
    try:
        yield Served(stub, loop)
    finally:
        asyncio.run_coroutine_threadsafe(stub.__aexit__(), loop).result(WAIT_S)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(WAIT_S)
        loop.close()


def config(url: str, dialect: str = "openai", more: str = "", limits: str = "") -> dict[str, str]:
    """Write the configuration of a daemon whose only agent asks a model."""
    endpoint = f"{url}/v1" if dialect == "openai" else url
    return {
        "subsessiond.toml": f"[limits]\nspawn_burst = 1_000\n{limits}",
        "roles.toml": ROLES.format(dialect=dialect),
        "agents.toml": (
            f'[tiers]\n{dialect} = "loop"\n\n[agents.loop]\nrunner = "model"\n'
            f'endpoint = "{endpoint}"\nmodel = "stub-model"\ndialect = "{dialect}"\n'
            f'key_from = "{KEY}"\n{more}\n'
        ),
    }


def final(output: str = "done", outcome: str = "completed", **fields: Any) -> dict[str, Any]:
    """Make the step in which a model sends its final."""
    return {
        "call": "report",
        "args": {"output": output, "stage": "final", "outcome": outcome, **fields},
    }


def spawn(daemon: Any, root: str, *steps: dict[str, Any], role: str = "worker", **more: Any) -> str:
    """Start a child whose model plays these steps; further fields are the brief's. Gives its id."""
    brief = {"mission": script(*steps), **more}
    answer = daemon.call("subsession.spawn", parentId=root, role=role, brief=brief)
    return str(answer["nodeId"])
