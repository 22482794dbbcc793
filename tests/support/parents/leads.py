"""Two public agents as a person runs them without a window: how each is started as a parent."""

import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tests.support.rigs import BIN, SERVER, Call, Prepared, claude, codex
from tests.support.rigs.rig import basic_env, put_in

BRIDGE: Final = (sys.executable, "-m", "subsession")


@dataclass(frozen=True, kw_only=True)
class Lead:
    """An agent with a person's settings: all its own tools, and our server beside them."""

    name: str
    title: str
    command: tuple[str, ...]
    env: dict[str, str]
    settings: str
    """The file below its HOME that names MCP servers."""
    text: str
    """What else stands there."""
    server: str
    """Our server as it stands there; `{program}` and `{args}` are its command line."""
    shell: Call
    own: str
    """What the tools by which it starts its own subagents have in their names."""

    @property
    def installed(self) -> bool:
        """Whether its program is here."""
        return (BIN / self.command[0]).exists()

    def prepare(self, home: Path, stub: str, bridge: tuple[str, ...] = ()) -> Prepared:
        """Write its settings and give its command line and environment.

        Args:
            home: its HOME.
            stub: where the model is.
            bridge: the command line of our MCP server; none: without it.
        """
        words = {"stub": stub}
        if bridge:
            words |= {"program": bridge[0], "args": json.dumps(bridge[1:])}
        place = home / self.settings
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(put_in(self.text + (self.server if bridge else ""), words))
        argv = (str(BIN / self.command[0]), *self.command[1:])
        return Prepared(argv, basic_env(home) | put_in(self.env, words))


CLAUDE: Final = Lead(
    name="claude",
    title="Claude Code",
    command=(
        *("claude", "-p", "--output-format", "stream-json", "--verbose"),
        *("--permission-prompts", "none", "--allowedTools", "Bash,mcp__subsession"),
    ),
    env=claude.ENV,
    settings=".claude.json",
    text="",
    server=claude.MCP.replace("{server}", SERVER).replace("{shim_", "{"),
    shell=claude.SHELL,
    own="Agent",
)
CODEX: Final = Lead(
    name="codex",
    title="Codex",
    command=("codex", "exec", "--json", "--skip-git-repo-check"),
    env=dict(codex.ENV),
    settings=".codex/config.toml",
    # Why the limit: of what a command printed, a model that it does not know is shown 10 kB.
    text="tool_output_token_limit = 20000\n" + codex.CONFIG.replace("{approval}", "never"),
    server=(
        '\n[mcp_servers.subsession]\ncommand = "{program}"\nargs = {args}\n'
        'default_tools_approval_mode = "approve"\n'
    ),
    shell=codex.SHELL,
    own="agent",
)
LEADS: Final = {lead.name: lead for lead in (CLAUDE, CODEX)}
