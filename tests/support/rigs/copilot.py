"""GitHub's Copilot CLI over ACP; it takes MCP servers by their address alone."""

from typing import Final

from tests.support.rigs.rig import Call, Refusal, Rig, Second, Speaks, Told

ACP: Final = Rig(
    name="copilot-acp",
    speaks=Speaks.ACP,
    command=("{bin}/copilot", "--acp", "--disable-builtin-mcps"),
    env={
        "COPILOT_PROVIDER_BASE_URL": "{stub}/v1",
        "COPILOT_PROVIDER_API_KEY": "x",
        "COPILOT_MODEL": "stub-model",
        "COPILOT_OFFLINE": "true",
        "COPILOT_AUTO_UPDATE": "false",
    },
    mcp_by_http=True,
    told=Told.TURN,
    report="subsession-report",
    write=Call("create", {"path": "{path}", "file_text": "{text}"}),
    shell=Call("bash", {"command": "{line}", "description": "run"}),
    refusal=Refusal.ENDS_TURN,
    second=Second.CANCELS,
)
