"""Many agents of several kinds under one daemon, at once."""

import asyncio
import json
from typing import Any, Final

from tests.support.lifecycle.stage import Stage
from tests.support.shipped import agent_table, make_home, tables_toml

KINDS: Final = ("pi-acp", "codex-acp-zed", "claude", "kimi-acp")
"""Those that take least; two speak ACP by an adapter, one by itself, and one JSON lines."""

_TOOLS: Final = '["read", "edit", "execute", "search", "fetch", "think"]'


def agents_toml(stub: str) -> str:
    """Give the shipped file with a tier for each kind."""
    kinds = {name: agent_table(name, stub) for name in KINDS}
    return tables_toml({name: name for name in KINDS}, kinds)


def roles_toml() -> str:
    """Give a role for each kind."""
    rows = (f"[{name}]\ntier = {json.dumps(name)}\ntools = {_TOOLS}\n" for name in KINDS)
    return "\n".join(rows)


def home_of(stub: str, home: Any) -> dict[str, str]:
    """Fill one user's home with what all kinds need."""
    environ: dict[str, str] = {}
    for name in KINDS:
        environ |= make_home(name, stub, home)
    return environ


def find(number: int) -> str:
    """Give the finding of one child."""
    return f"Finding {number:02d}."


def end(number: int) -> str:
    """Give the final of one child."""
    return f"Child {number:02d} is done."


async def hire(stage: Stage, number: int) -> str:
    """Start one child; it finds something when all are up, and then ends."""
    finding = {"call": "report", "args": {"output": find(number), "stage": "finding"}}
    final = {"output": end(number), "stage": "final", "outcome": "completed"}
    steps = (
        {**finding, "wait": f"up {number}"},
        {"call": "report", "args": final},
        {"text": "bye"},
    )
    kind = KINDS[number % len(KINDS)]
    return await stage.spawn(f"child-{number:02d}", *steps, role=kind, tokenCap=20_000)


async def run(stage: Stage, numbers: range) -> list[dict[str, Any]]:
    """Let so many work at once: none goes on before all are up. Gives their rows when all is over.

    Their finals come only once the root has read every finding, so that no message waits long.
    """
    nodes = [await hire(stage, number) for number in numbers]
    await asyncio.gather(*(stage.held(f"up {number}") for number in numbers))
    rows = await asyncio.gather(*(stage.until(node, "running") for node in nodes))
    assert len({row["nodeId"] for row in rows}) == len(numbers)
    for number in numbers:
        stage.stub.release(f"up {number}")
    return list(await asyncio.gather(*(stage.until(node, "released") for node in nodes)))
