"""Headless agents for tests: prompts for `agents/lines_cli.py`, and profiles that run it."""

import json
import sys
from pathlib import Path
from typing import Any, Final

from subsessiond.model.eventmap import EventMap
from subsessiond.model.role import AgentProfile, Channel, Probe

CLI: Final = Path(__file__).parent / "agents" / "lines_cli.py"

EVENTS: Final = """
text = "result"
structured = "data"
error = "is_error"
error_text = ["error", "result"]
words_text = "text"
tool_start_id = "id"
tool_end_id = "id"
message_id = "id"
usage = "usage"
total = "total"
summary = "summary"
input = "in"
cache_read = "hit"
cache_write = "put"
output = "out"
closing = { type = "result" }
failing = { type = "error" }
turn_end = { stop = "end_turn" }
words = { type = "say" }
rate_limited = { type = "retry" }
tool_start = { type = "tool" }
tool_end = { type = "toolEnd" }
ends.turn-limit = { subtype = "max_turns" }
ends.max-tokens = { subtype = "max_tokens" }
ends.refusal = { subtype = "refusal" }
"""

EVENT_MAP: Final = EventMap(
    closing=(("type", "result"),),
    text=("result",),
    structured="data",
    error=("is_error",),
    error_text=("error", "result"),
    failing=(("type", "error"),),
    ends=(
        ("max-tokens", (("subtype", "max_tokens"),)),
        ("refusal", (("subtype", "refusal"),)),
        ("turn-limit", (("subtype", "max_turns"),)),
    ),
    turn_end=(("stop", "end_turn"),),
    words=(("type", "say"),),
    words_text="text",
    rate_limited=(("type", "retry"),),
    tool_start=(("type", "tool"),),
    tool_start_id="id",
    tool_end=(("type", "toolEnd"),),
    tool_end_id="id",
    message_id="id",
    usage="usage",
    total="total",
    summary="summary",
    input=("in",),
    cache_read=("hit",),
    cache_write=("put",),
    output=("out",),
)


def prompt(*steps: dict[str, Any]) -> str:
    """Write a mission that makes the agent play these steps."""
    return f"Do this. STEPS[[[{json.dumps(steps)}]]]STEPS"


def profile(channel: Channel = Channel.CLOSING_RESULT, **fields: Any) -> AgentProfile:
    """Make the profile of an agent that plays its prompt."""
    given: dict[str, Any] = {
        "name": "actor",
        "runner": "jsonl",
        "command": (sys.executable, str(CLI)),
        "channel": channel,
        "probe": Probe.IN_TURN,
        "events": EVENT_MAP,
        "result_grace_ms": 300,
        **fields,
    }
    return AgentProfile(**given)


def spawn(daemon: Any, root: str, role: str, *steps: dict[str, Any], **more: Any) -> str:
    """Start an agent that plays these steps; further fields are the brief's. Gives its id."""
    brief = {"mission": prompt(*steps), **more}
    answer = daemon.call("subsession.spawn", parentId=root, role=role, brief=brief)
    return str(answer["nodeId"])


ENDS: Final = 'channel = "closing-result"'
SPEAKS: Final = 'probe = "in-turn"'
"""An agent with our tools, as far as this one needs any: it speaks by the client."""
BY_SHELL: Final = 'channel = "cli"'
LIMITS: Final = (
    "[limits]\nmission_bytes = 4_194_304\nspawn_burst = 1_000\nspawns_per_tree = 1_000\n"
)


def config(*roles: str, **agents: str) -> dict[str, str]:
    """Write the configuration of a daemon with one tier and one worker role for each agent.

    Args:
        roles: further tables of `roles.toml`.
        agents: name of an agent to further lines of its table; its role has the same name.
    """
    command = json.dumps([sys.executable, str(CLI)])
    tables = [
        f'[agents.{name}]\nrunner = "jsonl"\ncommand = {command}\nresult_grace_ms = 300\n'
        f"{more}\n[agents.{name}.events]{EVENTS}"
        for name, more in agents.items()
    ]
    tiers = "\n".join(f'{name} = "{name}"' for name in agents)
    tools = '["read", "edit", "execute", "search", "fetch", "think"]'
    rows = [f'[{name}]\ntier = "{name}"\ntools = {tools}\n' for name in agents]
    return {
        "subsessiond.toml": LIMITS,
        "agents.toml": f"[tiers]\n{tiers}\n" + "\n".join(tables),
        "roles.toml": "\n".join([*rows, *roles]),
    }
