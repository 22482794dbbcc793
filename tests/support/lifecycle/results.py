"""What was found of each agent, as files: tests/agents/results/<agent>.json.

`scripts/agents-table --record` has the tests write them; else the tests hold agents to them, and
`scripts/gen-agents` makes the table of them.
"""

import json
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from tests.support.lifecycle.properties import CANNOT, PROPERTIES, YES
from tests.support.rigs import BIN

RECORD: Final = "SUBSESSION_TESTS_RECORD"
"""Set: tests write what they found; a variable, because other processes run them."""
FOLDER: Final = Path(__file__).parents[2] / "agents/results"

_MODULES: Final = ("scripts/node_modules", "native/node_modules")
_PACKAGES: Final[Mapping[str, tuple[str, ...]]] = {
    "claude-acp": ("@agentclientprotocol/claude-agent-acp",),
    "codex-acp": ("@agentclientprotocol/codex-acp",),
    "codex-acp-zed": (
        "@zed-industries/codex-acp-linux-x64",
        "@zed-industries/codex-acp-linux-arm64",
    ),
    "opencode": ("opencode-linux-x64-baseline", "opencode-linux-arm64-baseline"),
    "opencode-acp": ("opencode-linux-x64-baseline", "opencode-linux-arm64-baseline"),
    "gemini": ("@google/gemini-cli",),
    "gemini-acp": ("@google/gemini-cli",),
    "kimi-acp": ("@moonshot-ai/kimi-code",),
    "copilot-acp": ("@github/copilot-linux-x64", "@github/copilot-linux-arm64"),
    "pi-acp": ("pi-acp",),
}
_PROGRAMS: Final[Mapping[str, str]] = {
    "claude": "claude",
    "claude-acp": "claude",
    "codex": "codex",
    "codex-acp": "codex",
}


def read(agent: str) -> dict[str, Any]:
    """Give what was recorded of an agent."""
    found: dict[str, Any] = json.loads((FOLDER / f"{agent}.json").read_text("utf-8"))
    return found


def write(agent: str, seen: Mapping[str, str], figures: Mapping[str, int | None]) -> None:
    """Record what was found, and why where it is not yes."""
    cells = {name: cell(agent, name, seen[name]) for name in PROPERTIES}
    told = {"agent": agent, "versions": versions(agent), "properties": cells, "figures": figures}
    FOLDER.mkdir(exist_ok=True)
    (FOLDER / f"{agent}.json").write_text(json.dumps(told, indent=2) + "\n", "utf-8")


def cell(agent: str, name: str, found: str) -> dict[str, str]:
    """Give one cell of the table."""
    if found == YES:
        return {"found": found}
    return {"found": found, "why": CANNOT[agent, name].partition(": ")[2]}


def versions(agent: str) -> list[str]:
    """Say which versions are installed: of what speaks with us, then of what it runs."""
    found = [_version_of(package) for package in _PACKAGES.get(agent, ())]
    if agent in _PROGRAMS:
        order = [str(BIN / _PROGRAMS[agent]), "--version"]
        said = subprocess.run(order, capture_output=True, text=True, check=True, timeout=60)
        number = next(word for word in said.stdout.split() if word[0].isdigit())
        found.append(f"{_PROGRAMS[agent]} {number}")
    if agent == "pi-acp":
        found.append(_version_of("@earendil-works/pi-coding-agent"))
    return [version for version in found if version]


def _version_of(package: str) -> str:
    """Give name and version of an installed package; empty where it is not."""
    for modules in _MODULES:
        place = BIN.parent / modules / package / "package.json"
        if place.exists():
            name = package.rpartition("/")[2].partition("-linux")[0]
            return f"{name} {json.loads(place.read_text('utf-8'))['version']}"
    return ""
