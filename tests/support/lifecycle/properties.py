"""What is asked of every agent, and why some cannot: the table in tests/README.md is made of it."""

from collections.abc import Mapping
from typing import Final

from tests.support.rigs import RIGS, Speaks

YES: Final = "yes"

PROPERTIES: Final[Mapping[str, str]] = {
    "probe": "our tools listed before its first step",
    "progress": "progress reaches the parent while it works",
    "checkpoint": "checkpoint in the journal, pointer right",
    "write": "writes what it owns",
    "refusal": "a write outside its claim is refused, the file not there",
    "blocked": "settles blocked, one row in the queue",
    "succession": "successor's opening, as its model got it: pointer and letter, no transcript",
    "steer": "told in its turn: read once, at its next step",
    "late": "told at its last step: read once, and a turn comes of it",
    "final": "final of the successor",
    "killed": "SIGKILL in a tool: the right reason, nothing left",
    "cancelled": "cancel in a tool: released, nothing left",
    "inbox": "the parent got its six messages, each once, in order, and nothing of a transcript",
    "tokens": "measured tokens equal what its model told",
}
"""In the order of the table."""

AGENTS: Final = (
    *("claude-acp", "codex-acp", "codex-acp-zed", "opencode-acp", "gemini-acp", "kimi-acp"),
    *("copilot-acp", "pi-acp", "claude", "codex", "opencode", "gemini"),
)

_NO_QUESTION: Final = (
    "no: headless it asks nobody, and in its workspace writes wherever its role may write at all; "
    "what it wrote is not compared with its claim yet"
)
_ONE_PROMPT: Final = (
    "no: a headless run takes one prompt; what comes after its last call of ours goes back to its "
    "sender (S22)"
)
CANNOT: Final[Mapping[tuple[str, str], str]] = {
    ("opencode", "refusal"): _NO_QUESTION,
    ("gemini", "refusal"): _NO_QUESTION,
    ("pi-acp", "refusal"): "no: it asks nobody anything; what it wrote is not compared yet",
    ("gemini", "late"): _ONE_PROMPT,
    ("codex-acp-zed", "tokens"): "null: it tells the size of its context, not what it used",
    ("kimi-acp", "tokens"): "null: it tells the size of its context, not what it used",
    ("pi-acp", "tokens"): "null: it tells the size of its context, not what it used",
    ("opencode-acp", "tokens"): "null: it tells those of a turn's last request, which are not read",
}
"""Agent and property to why not, the first word being what is found instead. What is not here has
to hold, and what is here must not: then it is out of date.
"""


def expected(agent: str, name: str) -> str:
    """Give what has to be found."""
    return CANNOT.get((agent, name), YES).split(":")[0]


def prompt_mark(agent: str) -> str:
    """Give what a line holds that prompts an agent; empty where its first prompt starts it."""
    if agent == "claude":
        return '"type":"user"'
    return '"session/prompt"' if speaks(agent) is Speaks.ACP else ""


def speaks(agent: str) -> Speaks:
    """Give what goes over its pipes."""
    return RIGS[agent].speaks
