"""Kimi Code over ACP; headless it approves everything, so it is not run so."""

from typing import Final

from tests.support.rigs.rig import Call, Refusal, Rig, Second, Speaks

CONFIG: Final = """\
default_model = "stub"
telemetry = false

[loop_control]
max_attempts_per_step = 1

[providers.stub]
type = "openai"
base_url = "{stub}/v1"
api_key = "x"

[models.stub]
provider = "stub"
model = "stub-model"
max_context_size = 128000
"""

ACP: Final = Rig(
    name="kimi-acp",
    speaks=Speaks.ACP,
    command=("{bin}/kimi", "acp"),
    env={"KIMI_CODE_NO_AUTO_UPDATE": "1"},
    files={".kimi-code/config.toml": CONFIG},
    report="mcp__subsession__report",
    report_title="mcp__subsession__report",
    # Why only here: outside its workspace and for commands it asks.
    asks_for_write=False,
    writes_by_client=True,
    write=Call("Write", {"path": "{path}", "content": "{text}"}),
    shell=Call("Bash", {"command": "{line}"}),
    refusal=Refusal.GOES_ON,
    second=Second.REFUSES,
)
