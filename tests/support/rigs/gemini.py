"""Gemini CLI: headless with JSON lines, and over ACP by itself."""

import json
from typing import Any, Final

from tests.support.rigs.rig import Call, Refusal, Rig, Second, Speaks, Told

ENV: Final = {
    "GEMINI_API_KEY": "x",
    "GOOGLE_GEMINI_BASE_URL": "{stub}",
    "GEMINI_CLI_TRUST_WORKSPACE": "true",
    # Why: else it starts itself a second time, and the first one passes no signal on.
    "GEMINI_CLI_NO_RELAUNCH": "true",
}
FILE: Final = ".gemini/settings.json"
CONFIG: Final[dict[str, Any]] = {
    "security": {"auth": {"selectedType": "gemini-api-key"}},
    "general": {
        "enableAutoUpdate": False,
        "enableAutoUpdateNotification": False,
        "maxAttempts": 1,
    },
    "privacy": {"usageStatisticsEnabled": False},
    "telemetry": {"enabled": False},
}
SERVERS: Final = '{"{server}": {"command": "{shim_program}", "args": {shim_args}, "trust": true}}'
WRITE: Final = Call("write_file", {"file_path": "{path}", "content": "{text}"})
SHELL: Final = Call("run_shell_command", {"command": "{line}", "description": "run"})
# Why a model by name: the automatic choice asks a router first.
MODEL: Final = ("--model", "gemini-2.5-pro")

PRINT: Final = Rig(
    name="gemini",
    speaks=Speaks.JSONL,
    command=("{bin}/gemini", *MODEL, "--output-format", "stream-json"),
    env=ENV,
    files={FILE: json.dumps(CONFIG | {"mcpServers": "{servers}"}).replace('"{servers}"', SERVERS)},
    edits=("--approval-mode", "yolo"),
    report="mcp_subsession_report",
    write=WRITE,
    shell=SHELL,
    refusal=Refusal.NOT_OFFERED,
)
ACP: Final = Rig(
    name="gemini-acp",
    speaks=Speaks.ACP,
    command=("{bin}/gemini", "--acp", *MODEL),
    env=ENV,
    files={FILE: json.dumps(CONFIG)},
    login="gemini-api-key",
    report="mcp_subsession_report",
    report_title="report (subsession MCP Server)",
    writes_by_client=True,
    told=Told.QUOTA,
    write=WRITE,
    shell=SHELL,
    refusal=Refusal.GOES_ON,
    second=Second.CANCELS,
)
