"""The shipped profiles of public agents, pointed at a model stub on loopback."""

import json
import tomllib
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

from tests.support.rigs import BIN, RIGS, codex, gemini, opencode
from tests.support.rigs.rig import put_in

AGENTS: Final = files("subsessiond.defaults").joinpath("agents.toml").read_text("utf-8")

_OWN: Final = ("mcp", "mcpServers", "permission")
"""What the profile says, and the user's own files do not."""


def agents_toml(name: str, stub: str, **fields: str) -> str:
    """Give the shipped file with one agent serving every tier, and its endpoint on loopback.

    Args:
        name: the agent.
        stub: where the model is.
        fields: words of its profile that are set otherwise.
    """
    tables = tomllib.loads(AGENTS)
    agent = tables["agents"][name]
    agent.update(fields)
    endpoint = put_in(RIGS[name].env, {"stub": stub})
    agent["env"] = {**endpoint, **agent.get("env", {})}
    if name == "gemini":
        agent["command"][1:1] = gemini.MODEL
    if name == "claude":
        agent["env"]["CLAUDE_CODE_MAX_RETRIES"] = "1"
    tables["tiers"] = {"worker": name, "reader": name}
    return "".join(f"{word} = {_dump(value)}\n" for word, value in tables.items())


def _dump(value: Any) -> str:
    """Write a value as TOML on one line."""
    if isinstance(value, dict):
        inside = (f"{json.dumps(word)} = {_dump(inner)}" for word, inner in value.items())
        return f"{{ {', '.join(inside)} }}"
    if isinstance(value, list):
        return f"[{', '.join(map(_dump, value))}]"
    return json.dumps(value)


def make_home(name: str, stub: str, home: Path) -> dict[str, str]:
    """Write what a user of an agent has in the home folder; gives HOME and PATH."""
    own: dict[str, str] = {
        "codex": codex.CONFIG.replace('approval_policy = "{approval}"\n', ""),
        "opencode": _without(opencode.CONFIG),
        "gemini": _without(gemini.CONFIG),
    }
    places = {"codex": ".codex/config.toml", "opencode": opencode.FILE, "gemini": gemini.FILE}
    if name in own:
        place = home / places[name]
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(put_in(own[name], {"stub": stub}), "utf-8")
    return {"HOME": str(home), "PATH": f"{BIN}:/usr/local/bin:/usr/bin:/bin"}


def _without(config: dict[str, Any]) -> str:
    return json.dumps({word: value for word, value in config.items() if word not in _OWN})
