"""opencode: headless with JSON lines, and over ACP by itself."""

import json
from typing import Any, Final

from tests.support.rigs.rig import Call, Refusal, Rig, Second, Speaks, Told

ENV: Final = {
    "OPENCODE_DISABLE_AUTOUPDATE": "1",
    "OPENCODE_DISABLE_MODELS_FETCH": "1",
    "OPENCODE_DISABLE_LSP_DOWNLOAD": "1",
    # Why: it installs its plugin package below its HOME whenever it starts, and does without.
    "npm_config_offline": "true",
}
FILE: Final = ".config/opencode/opencode.json"
MODEL: Final = {"name": "stub", "limit": {"context": 128_000, "output": 8_000}, "tool_call": True}
CONFIG: Final[dict[str, Any]] = {
    "autoupdate": False,
    "share": "disabled",
    "model": "stub/stub-model",
    "small_model": "stub/stub-model",
    "provider": {
        "stub": {
            "npm": "@ai-sdk/openai-compatible",
            "options": {"baseURL": "{stub}/v1", "apiKey": "x"},
            "models": {"stub-model": MODEL},
        }
    },
    "permission": {"edit": "ask", "bash": "allow", "webfetch": "deny"},
}
SERVERS: Final = '{"{server}": {"type": "local", "command": {shim_command}, "enabled": true}}'
WRITE: Final = Call("write", {"filePath": "{path}", "content": "{text}"})
SHELL: Final = Call("bash", {"command": "{line}", "description": "run"})


def _config(**more: Any) -> str:
    return json.dumps(CONFIG | more, indent=2)


RUN: Final = Rig(
    name="opencode",
    speaks=Speaks.JSONL,
    # Why by stdin: of an argument it escapes the quotes.
    command=("{bin}/opencode", "run", "--format", "json"),
    env=ENV,
    files={FILE: _config(mcp="{servers}").replace('"{servers}"', SERVERS)},
    edits_env={"OPENCODE_PERMISSION": '{"edit": "allow"}'},
    report="subsession_report",
    write=WRITE,
    shell=SHELL,
    refusal=Refusal.ENDS_TURN,
)
ACP: Final = Rig(
    name="opencode-acp",
    speaks=Speaks.ACP,
    command=("{bin}/opencode", "acp"),
    env=ENV,
    files={FILE: _config()},
    writes_by_client=True,
    told=Told.LAST,
    report="subsession_report",
    write=WRITE,
    shell=SHELL,
    refusal=Refusal.ENDS_TURN,
    second=Second.MERGES,
)
