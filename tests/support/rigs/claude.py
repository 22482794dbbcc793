"""Claude Code: headless with JSON lines, and over ACP by its adapter."""

from typing import Final

from tests.support.rigs.rig import Call, Refusal, Rig, Second, Speaks, Told

ENV: Final = {
    "ANTHROPIC_BASE_URL": "{stub}",
    "ANTHROPIC_API_KEY": "sk-stub",
    "ANTHROPIC_MODEL": "claude-sonnet-4-5",
    "DISABLE_AUTOUPDATER": "1",
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    # Why: it tries ten times over minutes otherwise, and a 401 as well.
    "CLAUDE_CODE_MAX_RETRIES": "1",
    # Why: else tools of MCP servers wait behind a search tool, and no model calls them.
    "ENABLE_TOOL_SEARCH": "false",
}
MCP: Final = (
    '{"mcpServers": {"{server}": {"type": "stdio", "command": "{shim_program}", '
    '"args": {shim_args}}}}'
)
WRITE: Final = Call("Write", {"file_path": "{path}", "content": "{text}"})
# Why not a bare `sleep`: it refuses one.
SHELL: Final = Call("Bash", {"command": "{line}", "description": "run"})

PRINT: Final = Rig(
    name="claude",
    speaks=Speaks.JSONL,
    command=(
        *("{bin}/claude", "-p", "--output-format", "stream-json", "--verbose"),
        *("--tools", "Read,Write,Edit,Bash", "--mcp-config", "{scratch}/mcp.json"),
        *("--strict-mcp-config", "--allowedTools", "mcp__{server}", "--permission-prompts", "none"),
    ),
    env=ENV,
    files={"mcp.json": MCP},
    edits=("--permission-mode", "acceptEdits"),
    report="mcp__subsession__report",
    write=WRITE,
    shell=SHELL,
    refusal=Refusal.GOES_ON,
)
ACP: Final = Rig(
    name="claude-acp",
    speaks=Speaks.ACP,
    command=("{bin}/claude-agent-acp",),
    env=ENV | {"CLAUDE_CODE_EXECUTABLE": "{bin}/claude"},
    report="mcp__subsession__report",
    report_title="mcp__subsession__report",
    told=Told.TURN,
    write=WRITE,
    shell=SHELL,
    refusal=Refusal.GOES_ON,
    second=Second.MERGES,
)
