"""A short walk: spawn, progress, blocked, grant and succession, with the real command.

The daemon, its rules and every line shown are real; the two agents are not: they play scripts, so
that the walk needs no model and ends the same way every time.
"""

import json
import shlex
import time
from dataclasses import dataclass
from pathlib import Path

from subsession.cli import main as subsession
from subsession.cli.session import SHORT
from subsession.cli.voice import Voice
from subsession.client import Client
from subsession.mirror import Mirror
from subsession.verbs import Json
from subsessiond.settings import default_text

_ROLES = """
[scripted-writer]
tier = "scripted-writer"
tools = ["read", "edit"]

[scripted-reader]
tier = "scripted-reader"
tools = ["read"]
"""

_AGENTS = """
[agents.scripted-writer]
runner = "scripted"
command = [{writer}]

[agents.scripted-reader]
runner = "scripted"
command = [{reader}]
"""

_WRITER_STUCK: list[Json] = [
    {"report": {"stage": "progress", "output": "read 3 of 9 sources"}},
    {"pauseMs": 1_500},
    {"report": {"stage": "progress", "output": "read all, writing"}},
    {
        "checkpoint": {
            "phase": "writing",
            "state": "all sources read, notes drafted",
            "nextStep": "write docs/notes.md",
        }
    },
    {"pauseMs": 1_000},
    {
        "report": {
            "stage": "final",
            "outcome": "blocked",
            "output": "The notes belong into docs/, which I do not own.",
            "blockers": ["approval-required: fs write docs/notes.md"],
        }
    },
]
_WRITER_FREE: list[Json] = [
    {"write": {"path": "docs/notes.md", "text": "# Notes\n"}},
    {"report": {"stage": "final", "outcome": "completed", "output": "Wrote docs/notes.md."}},
]
_READER_DIES: list[Json] = [
    {
        "checkpoint": {
            "phase": "reading",
            "state": "4 of 9 sources read, nothing wrong yet",
            "nextStep": "go on with the fifth source",
        }
    },
    {"pauseMs": 1_000},
    {"end": {"outcome": "failed", "reason": "killed-by-signal", "diagnostic": "out of memory"}},
]
_READER_ENDS: list[Json] = [
    {"report": {"stage": "final", "outcome": "completed", "output": "Read the other 5: all well."}}
]


@dataclass(frozen=True)
class Stage:
    """Where the tour plays."""

    voice: Voice
    client: Client
    state: Path
    """State directory of the tour's daemon."""
    root: str

    @property
    def parent(self) -> str:
        """The root's id as a person would type it."""
        return self.root[-SHORT:]

    def say(self, text: str) -> None:
        """Explain, and give time to read where somebody reads."""
        self.voice.line("\n" + self.voice.style("bold", text))
        if self.voice.is_terminal:
            time.sleep(2.5)

    def type(self, *words: str) -> None:
        """Run the real command, as it would be typed."""
        self.voice.line(self.voice.style("cyan", f"$ subsession {shlex.join(words)}"))
        subsession(["--state-dir", str(self.state), *words])

    def write_script(self, name: str, steps: list[Json]) -> None:
        """Say what the next agent of a role will do."""
        (self.state / "scripts" / f"{name}.json").write_text(json.dumps({"steps": steps}))


def prepare(state: Path) -> Path:
    """Write the configuration of the tour: the shipped one, and two roles that play scripts.

    Returns:
        A folder to work in.
    """
    config, scripts, workspace = state / "config", state / "scripts", state / "workspace"
    for folder in (config, scripts, workspace):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    (config / "roles.toml").write_text(default_text("roles.toml") + _ROLES)
    tiers = "[tiers]\n" + "".join(f'{tier} = "{tier}"\n' for tier in _scripted())
    agents = default_text("agents.toml").replace("[tiers]\n", tiers, 1)
    places = {name.removeprefix("scripted-"): scripts / f"{name}.json" for name in _scripted()}
    quoted = {name: json.dumps(str(path)) for name, path in places.items()}
    (config / "agents.toml").write_text(agents + _AGENTS.format(**quoted))
    # Why: without a terminal nobody could grant, and this daemon has nothing to protect.
    main = default_text("subsessiond.toml").replace("headless = false", "headless = true ", 1)
    (config / "subsessiond.toml").write_text(main)
    return workspace


def _scripted() -> tuple[str, str]:
    """Give the roles that play scripts."""
    return "scripted-writer", "scripted-reader"


def play(stage: Stage) -> int:
    """Walk through; 0 when it went as told."""
    stage.say(
        "1. A root is a session of yours; children hang below it. This one is a real\n"
        "   program: whatever it prints, its parent is shown a bounded report."
    )
    stage.type(
        "run", "--parent", stage.parent, "--report-tokens", "100", "--wait", "--", "seq", "100000"
    )
    writer = _blocked(stage)
    _granted(stage, writer)
    _succeeded(stage)
    stage.say("6. All of it, at a glance.")
    stage.type("tree", stage.parent)
    return 0 if _outcomes(stage) == _EXPECTED else 1


_EXPECTED = ["completed", "blocked", "completed", "failed", "completed"]


def _spawn(stage: Stage, role: str, title: str, mission: str, *options: str) -> str:
    """Spawn a scripted child with the real command and give its id."""
    stage.type(
        "spawn", mission, "--parent", stage.parent, "--role", role, "--title", title, *options
    )
    return max(str(row["nodeId"]) for row in _children(stage))


def _children(stage: Stage) -> list[Json]:
    mirror = Mirror(stage.root)
    stage.client.follow(mirror.refresh())
    return [row for _, row in sorted(mirror.rows.items()) if row.get("parentId")]


def _outcomes(stage: Stage) -> list[str]:
    return [str(row.get("outcome")) for row in _children(stage)]


def _blocked(stage: Stage) -> str:
    """Let a child meet a wall."""
    stage.say(
        "2. A child with a mission. No model runs here: this agent plays a script. It\n"
        "   owns src/, tells its progress, saves a checkpoint, and meets a wall."
    )
    stage.write_script("scripted-writer", _WRITER_STUCK)
    mission = "write notes on the sources"
    writer = _spawn(stage, "scripted-writer", "notes", mission, "--own", "src/**")
    stage.type("wait", writer[-SHORT:])
    stage.say("3. It does not wait for you: it settled as blocked, and stands in your queue.")
    stage.type("blocked")
    return writer


def _granted(stage: Stage, writer: str) -> None:
    """Give the successor what its predecessor lacked."""
    stage.say(
        "4. Only you can grant what it lacked. A fresh child goes on from its letter,\n"
        "   with the files you add and nothing else."
    )
    stage.type("handover", writer[-SHORT:])
    stage.write_script("scripted-writer", _WRITER_FREE)
    stage.type("handover", writer[-SHORT:], "--grant-glob", "docs/**", "--wait")
    stage.say("   What that child was told besides: the letter, with your grant.")
    stage.type("show", str(_children(stage)[-1]["nodeId"])[-SHORT:])
    stage.say("   And what their parent was told of all this, word for word, and nothing more.")
    stage.type("inbox", stage.parent)


def _succeeded(stage: Stage) -> None:
    """Let a child die and another go on."""
    stage.say(
        "5. Children die. What one wrote down is not lost: a successor starts with a\n"
        "   letter of a few lines, never with a transcript."
    )
    stage.write_script("scripted-reader", _READER_DIES)
    reader = _spawn(stage, "scripted-reader", "read", "read all sources and say what is wrong")
    stage.type("wait", reader[-SHORT:])
    stage.write_script("scripted-reader", _READER_ENDS)
    stage.type("succeed", reader[-SHORT:], "--wait")
    stage.type("show", str(_children(stage)[-1]["nodeId"])[-SHORT:])
