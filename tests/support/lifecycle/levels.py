"""Three public agents, each the child of the one before: a lead, a middle one, a leaf."""

import json
from pathlib import Path
from typing import Any, Final

from tests.support.lifecycle.stage import Stage
from tests.support.modelstub import script
from tests.support.rigs import RIGS
from tests.support.shipped import agent_table, make_home, tables_toml

KIND: Final = "pi-acp"
"""The one that takes least."""

SECRET: Final = "zebra crossing"
LINE: Final = r"printf '\172ebra \143rossing'"
"""Prints it: so it stands in what the leaf is shown, and in no mission."""

ON_NEWS: Final[dict[str, tuple[dict[str, Any], ...]]] = {
    "settled failed": ({"text": "I wait for another.", "wait": "failed"},),
    "as the successor of": ({"text": "I wait for that one."},),
}
"""What a parent does with other mail: nothing, and it stays in its turn until the gate opens."""

_READ: Final = ["read", "edit", "execute", "search", "fetch", "think"]


def agents_toml(stub: str) -> str:
    """Give the shipped file with a tier for each level."""
    return tables_toml(
        dict.fromkeys(("top", "middle", "leaf"), KIND), {KIND: agent_table(KIND, stub)}
    )


def roles_toml() -> str:
    """Give a role for each level."""
    rows = (
        f"[{name}]\ntier = {json.dumps(name)}\ndepth_cap = {depth}\ntools = {json.dumps(tools)}\n"
        for name, depth, tools in (
            ("top", 2, [*_READ, "delegate"]),
            ("middle", 1, [*_READ, "delegate"]),
            ("leaf", 0, _READ),
        )
    )
    return "\n".join(rows)


def home_of(stub: str, home: Path) -> dict[str, str]:
    """Fill one user's home."""
    return make_home(KIND, stub, home)


def final(output: str) -> tuple[dict[str, Any], ...]:
    """Report the end, and say goodbye."""
    args = {"output": output, "stage": "final", "outcome": "completed"}
    return {"call": "report", "args": args}, {"text": "bye"}


def leaf_mission() -> str:
    """Look at something, and end once the gate `leaf` opens."""
    look = RIGS[KIND].shell.step(line=LINE)
    first, *rest = final("Leaf has looked.")
    return f"Do leaf. {script(look, {**first, 'wait': 'leaf'}, *rest)}"


def middle_mission() -> str:
    """Hire a leaf, wait for it, and report."""
    return (
        f"Do middle. {_hire('leaf', leaf_mission(), 30_000, 'Leaf has looked', 'Middle is done.')}"
    )


def _hire(role: str, mission: str, cap: int, heard: str, said: str) -> str:
    args = {"role": role, "mission": mission, "tokenCap": cap}
    steps = {"call": "subsession_spawn", "args": args}, {"text": "I wait."}
    return script(*steps, when={heard: final(said), **ON_NEWS})


async def hire(stage: Stage) -> str:
    """Start the lead, which starts the others; gives its id once the leaf has looked."""
    mission = _hire("middle", middle_mission(), 100_000, "Middle is done", "Top is done.")
    order = {"role": "top", "brief": {"mission": f"Do top. {mission}", "tokenCap": 300_000}}
    answer = await stage.call("spawn", parentId=stage.root, **order)
    await stage.held("leaf")
    return str(answer["nodeId"])


async def child_of(stage: Stage, node: str) -> str:
    """Give the one child of a node."""
    (child,) = (await stage.call("node", nodeId=node))["children"]
    return str(child)
