"""Two public agents as a person runs them without a window: how each is started as a parent."""

import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from tests.support.rigs import BIN, Call, Prepared, claude, codex
from tests.support.rigs.rig import basic_env, put_in

INSTALLS_S: Final = 30.0


@dataclass(frozen=True, kw_only=True)
class Lead:
    """An agent with a person's settings: all its own tools, and ours where they are installed."""

    name: str
    title: str
    command: tuple[str, ...]
    env: Mapping[str, str]
    files: Mapping[str, str]
    """What its user has below HOME."""
    shell: Call
    finds: tuple[str, str] | None
    """The tool by which its model finds others, and what stands before the names of ours there."""
    own: str
    """What the tools by which it starts its own subagents have in their names."""

    @property
    def installed(self) -> bool:
        """Whether its program is here."""
        return (BIN / self.command[0]).exists()

    def find(self, *tools: str) -> tuple[dict[str, Any], ...]:
        """Give the step by which its model gets at tools that it is not offered at once."""
        if self.finds is None:
            return ()
        tool, before = self.finds
        query = f"select:{','.join(before + name for name in tools)}"
        return ({"call": tool, "args": {"query": query, "max_results": len(tools)}},)

    def prepare(self, home: Path, stub: str, state: Path | None = None) -> Prepared:
        """Write its settings and give its command line and environment.

        Args:
            home: its HOME.
            stub: where the model is.
            state: the state folder of the daemon whose tools are to be installed; none: no tools.
        """
        for name, text in self.files.items():
            (home / name).parent.mkdir(parents=True, exist_ok=True)
            (home / name).write_text(put_in(text, {"stub": stub}))
        env = basic_env(home) | put_in(self.env, {"stub": stub})
        if state is not None:
            subsession(env, "install", self.name, "--yes", "--state-dir", str(state))
        return Prepared((str(BIN / self.command[0]), *self.command[1:]), env)


def subsession(env: Mapping[str, str], *words: str, folder: Path | None = None) -> str:
    """Type a command as the person whose environment this is; gives what it printed."""
    done = subprocess.run(
        [sys.executable, "-m", "subsession", *words],
        env={**env, "PATH": f"{Path(sys.executable).parent}:{os.defpath}"},
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        timeout=INSTALLS_S,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


CLAUDE: Final = Lead(
    name="claude",
    title="Claude Code",
    command=(
        *("claude", "-p", "--output-format", "stream-json", "--verbose"),
        *("--permission-prompts", "none", "--allowedTools", "Bash,mcp__subsession"),
    ),
    # Why without: a person's agent keeps most tools of servers behind a search, so this one does.
    env={name: word for name, word in claude.ENV.items() if name != "ENABLE_TOOL_SEARCH"},
    finds=("ToolSearch", "mcp__subsession__"),
    files={},
    shell=claude.SHELL,
    own="Agent",
)
CODEX: Final = Lead(
    name="codex",
    title="Codex",
    # Why: a person looks at a new hook once, in a terminal; nobody does here.
    command=(
        *("codex", "exec", "--json", "--skip-git-repo-check"),
        "--dangerously-bypass-hook-trust",
    ),
    env=codex.ENV,
    finds=None,
    # Why the limit: of what a command printed, a model that it does not know is shown 10 kB.
    files={
        ".codex/config.toml": "tool_output_token_limit = 20000\n"
        + codex.CONFIG.replace("{approval}", "never")
    },
    shell=codex.SHELL,
    own="agent",
)
LEADS: Final = {lead.name: lead for lead in (CLAUDE, CODEX)}
