"""The shipped profiles of public agents, pointed at a model stub on loopback."""

import json
import tomllib
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

from tests.support.rigs import BIN, RIGS, codex, gemini, kimi, opencode, pi
from tests.support.rigs.rig import put_in

AGENTS: Final = files("subsessiond.defaults").joinpath("agents.toml").read_text("utf-8")

PROGRAMS: Final = {"codex-acp-zed": "codex-acp-zed"}
"""Programs that scripts/agents links under another name than their own."""

_ALLOWED: Final = {
    "permissions": {"defaultMode": "acceptEdits", "allow": ["Write", "Edit", "Bash"]},
    "disableAllHooks": True,
}
"""What a user of Claude Code has set who lets it do everything unasked, and runs no hooks."""

_OWN: Final = ("mcp", "mcpServers", "permission")
"""What the profile says, and the user's own files do not."""


def agents_toml(name: str, stub: str, **fields: str) -> str:
    """Give the shipped file with one agent serving every tier, and its endpoint on loopback.

    Args:
        name: the agent.
        stub: where the model is.
        fields: words of its profile that are set otherwise.
    """
    return tables_toml({"worker": name, "reader": name}, {name: agent_table(name, stub, **fields)})


def tables_toml(tiers: dict[str, str], agents: dict[str, dict[str, Any]]) -> str:
    """Give the shipped file with other tiers, and other tables of some agents."""
    tables = tomllib.loads(AGENTS)
    tables["tiers"] = tiers
    tables["agents"].update(agents)
    return "".join(f"{word} = {_dump(value)}\n" for word, value in tables.items())


def agent_table(name: str, stub: str, **fields: str) -> dict[str, Any]:
    """Give the shipped table of an agent, its endpoint on loopback; for the rest `agents_toml`."""
    agent: dict[str, Any] = tomllib.loads(AGENTS)["agents"][name]
    agent.update(fields)
    endpoint = put_in(RIGS[name].env, {"stub": stub})
    agent["env"] = {**endpoint, **agent.get("env", {})}
    if name.startswith("gemini"):
        agent["command"][1:1] = gemini.MODEL
    if name.startswith("claude"):
        # Why its own model: with the newest ones it begins in a mode in which it asks nobody.
        del agent["env"]["ANTHROPIC_MODEL"]
        agent["env"]["CLAUDE_CODE_MAX_RETRIES"] = "1"
    if name in PROGRAMS:
        agent["command"][0] = PROGRAMS[name]
    agent["env"] = put_in(agent["env"], {"bin": str(BIN)})
    return agent


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
    for place, text in _user_files(name).items():
        (home / place).parent.mkdir(parents=True, exist_ok=True)
        (home / place).write_text(put_in(text, {"stub": stub}), "utf-8")
    return {"HOME": str(home), "PATH": f"{BIN}:/usr/local/bin:/usr/bin:/bin"}


def _user_files(name: str) -> dict[str, str]:
    """Give what a user's own files say; our MCP server and what may be done is the profile's."""
    plain = codex.CONFIG.replace('approval_policy = "{approval}"\n', "")
    # Why eager: who lets an agent at her side edit unasked has not said so of children.
    general = {**gemini.CONFIG["general"], "defaultApprovalMode": "auto_edit"}
    eager = {**gemini.CONFIG, "general": general}
    own: dict[str, dict[str, str]] = {
        "claude": {".claude/settings.json": json.dumps(_ALLOWED)},
        "claude-acp": {".claude/settings.json": '{"permissions": {"defaultMode": "acceptEdits"}}'},
        "codex": {".codex/config.toml": plain},
        "opencode": {opencode.FILE: _without(opencode.CONFIG)},
        "opencode-acp": {opencode.FILE: _without(opencode.CONFIG)},
        "gemini": {gemini.FILE: _without(gemini.CONFIG)},
        "gemini-acp": {gemini.FILE: json.dumps(eager)},
        "kimi-acp": {".kimi-code/config.toml": 'default_permission_mode = "yolo"\n' + kimi.CONFIG},
        "pi-acp": {place: text for place, text in pi.FILES.items() if "mcp.json" not in place},
    }
    return own.get(name) or (dict(RIGS[name].files) if name.endswith(("-acp", "-zed")) else {})


def _without(config: dict[str, Any]) -> str:
    return json.dumps({word: value for word, value in config.items() if word not in _OWN})
