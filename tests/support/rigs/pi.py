"""pi: headless with JSON lines, and over ACP by its adapter. It asks nobody anything."""

import json
from typing import Final

from tests.support.rigs.rig import Call, Refusal, Rig, Second, Speaks

MODEL: Final = {
    "id": "stub-model",
    "name": "stub",
    "reasoning": False,
    "input": ["text"],
    "contextWindow": 128_000,
    "maxTokens": 8_000,
    "cost": {"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0},
}
PROVIDER: Final = {
    "baseUrl": "{stub}/v1",
    "api": "openai-completions",
    "apiKey": "x",
    "models": [MODEL],
}
FILES: Final = {
    ".pi/agent/models.json": json.dumps({"providers": {"stub": PROVIDER}}),
    ".pi/agent/settings.json": json.dumps({"quietStartup": True, "retry": {"maxRetries": 0}}),
    # Why direct: else its model is offered one tool to write code with, and not ours.
    ".pi/agent/mcp.json": (
        '{"mcpServers": {"{server}": {"exposure": "direct", "command": "{shim_program}", '
        '"args": {shim_args}}}}'
    ),
}
# Why npm too: when a session begins, its adapter asks npm for the newest version.
ENV: Final = {"PI_OFFLINE": "1", "npm_config_registry": "{stub}"}
WRITE: Final = Call("write", {"path": "{path}", "content": "{text}"})
SHELL: Final = Call("bash", {"command": "{line}"})

PRINT: Final = Rig(
    name="pi",
    speaks=Speaks.JSONL,
    command=("{bin}/pi", "--mode", "json", "--provider", "stub", "--model", "stub-model"),
    env=ENV,
    files=FILES,
    report="mcp__subsession__report",
    write=WRITE,
    shell=SHELL,
    refusal=Refusal.NEVER_ASKS,
)
ACP: Final = Rig(
    name="pi-acp",
    speaks=Speaks.ACP,
    command=("{bin}/pi-acp",),
    env=ENV,
    files=FILES,
    mcp_servers=False,
    asks_for_write=False,
    report="mcp__subsession__report",
    write=WRITE,
    shell=SHELL,
    refusal=Refusal.NEVER_ASKS,
    second=Second.QUEUES,
)
