"""Configuration for tests through a real daemon: a role for each part that a child can play."""

from typing import Any, Final

ROLES: Final = """
[check]
tier = "command"
tools = ["read", "execute"]
token_cap = 20_000

[hand]
tier = "command"
tools = ["read", "edit", "execute"]
token_cap = 20_000

[boss]
tier = "command"
depth_cap = 2
tools = ["read", "execute", "delegate"]
token_cap = 200_000

[strict]
tier = "schema"
tools = ["read", "execute"]
token_cap = 20_000

[script]
tier = "scripted"
tools = ["read"]
token_cap = 20_000

[editor]
tier = "scripted"
tools = ["read", "edit"]
token_cap = 20_000

[lead]
tier = "scripted"
depth_cap = 2
tools = ["read", "edit", "delegate"]
token_cap = 1_000_000

[joined]
tier = "guest"
tools = ["read", "edit"]
token_cap = 20_000

[worker]
tier = "worker"
tools = ["read"]
"""

AGENTS: Final = """
[tiers]
command = "command"
schema = "schema"
scripted = "scripted"
guest = "guest"

[agents.command]
runner = "command"
takes_operator_argv = true
takes_schema = false

[agents.schema]
runner = "command"
takes_operator_argv = true

[agents.scripted]
runner = "scripted"
takes_steer = true

[agents.guest]
runner = "external"
channel = "cli"
"""

WIDE: Final[dict[str, Any]] = {
    "live_per_parent": "unlimited",
    "live_per_tree": "unlimited",
    "live_total": "unlimited",
    "spawns_per_tree": "unlimited",
    "spawn_burst": 100_000,
    "root_token_cap": 1_000_000_000,
}
"""Limits that are in nobody's way."""


def tables(
    *, roles: str = ROLES, agents: str = AGENTS, more: str = "", **limits: Any
) -> dict[str, str]:
    """Give configuration files.

    Args:
        roles: text of `roles.toml`.
        agents: text of `agents.toml`.
        more: tables of `subsessiond.toml` beside the limits; without one graces are short.
        limits: rows of `[limits]` that differ from the defaults.
    """
    rows = "".join(
        f"{name} = {f'{chr(34)}{value}{chr(34)}' if isinstance(value, str) else value}\n"
        for name, value in limits.items()
    )
    rest = more or "[processes]\nterm_grace_ms = 500\n"
    return {
        "roles.toml": roles,
        "agents.toml": agents,
        "subsessiond.toml": f"[limits]\n{rows}\n{rest}",
    }
