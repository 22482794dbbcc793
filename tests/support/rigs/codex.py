"""Codex: headless with JSON lines, and over ACP by two adapters."""

from typing import Final

from tests.support.rigs.rig import Call, Refusal, Rig, Second, Speaks, Told

CONFIG: Final = """\
model = "stub-model"
model_provider = "stub"
approval_policy = "{approval}"
sandbox_mode = "read-only"
check_for_update_on_startup = false

# What it would fetch from elsewhere when it starts.
[analytics]
enabled = false

[features]
apps = false
plugins = false

[model_providers.stub]
name = "stub"
base_url = "{stub}/v1"
env_key = "STUB_KEY"
wire_api = "responses"
request_max_retries = 1
stream_max_retries = 1
stream_idle_timeout_ms = 20000
"""
# Why approve: where it never asks, it refuses tools of MCP servers that are not marked read-only.
SERVERS: Final = """
[mcp_servers.{server}]
command = "{shim_program}"
args = {shim_args}
startup_timeout_sec = 10
default_tools_approval_mode = "approve"
"""
ENV: Final = {"STUB_KEY": "x"}
SHELL: Final = Call("exec_command", {"cmd": "{line}", "yield_time_ms": 30_000})
# Why by its shell: a model it does not know is offered no tool for edits, and it reads these words.
PATCH: Final = """\
apply_patch <<'EOF'
*** Begin Patch
*** Add File: {path}
+{text}
*** End Patch
EOF
"""
WRITE: Final = Call("exec_command", {"cmd": PATCH})

EXEC: Final = Rig(
    name="codex",
    speaks=Speaks.JSONL,
    command=("{bin}/codex", "exec", "--json", "--skip-git-repo-check"),
    env=ENV,
    edits=("-c", 'sandbox_mode="workspace-write"'),
    files={".codex/config.toml": CONFIG.replace("{approval}", "never") + SERVERS},
    report="mcp__subsession::report",
    write=WRITE,
    shell=SHELL,
    refusal=Refusal.GOES_ON,
)
ACP: Final = Rig(
    name="codex-acp",
    speaks=Speaks.ACP,
    command=("{bin}/codex-acp",),
    env=ENV | {"CODEX_PATH": "{bin}/codex"},
    files={".codex/config.toml": CONFIG.replace("{approval}", "on-request")},
    # Why: in its first mode a second model reviews in place of a question, and in the one between
    # its sandbox lets everything below the workspace pass.
    mode="read-only",
    told=Told.TURN,
    report="mcp__subsession::report",
    write=WRITE,
    shell=SHELL,
    refusal=Refusal.ENDS_TURN,
    second=Second.QUEUES,
)
ZED: Final = Rig(
    name="codex-acp-zed",
    speaks=Speaks.ACP,
    command=("{bin}/codex-acp-zed",),
    env=ENV,
    files={".codex/config.toml": CONFIG.replace("{approval}", "on-request")},
    mode="read-only",
    report="mcp__subsession::report",
    write=WRITE,
    shell=SHELL,
    refusal=Refusal.ENDS_TURN,
    second=Second.SWALLOWS,
)
