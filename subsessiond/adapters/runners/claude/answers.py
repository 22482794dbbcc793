"""What Claude Code may ask of us: whether a tool may be used, in two ways. All else is an error.

A hook comes before everything else and nothing outranks its no, so what is refused stays refused
whatever mode, rules and hooks its user has set; it never says yes, so what her settings forbid, or
ask about, is still forbidden or asked.
"""

from collections.abc import Callable
from typing import Any, Final

from subsessiond.adapters.runners.claude.control import AskedWrongly, unknown
from subsessiond.adapters.runners.claude.permissions import Permissions
from subsessiond.core.words.denied import denied
from subsessiond.model.node import Node

CALLBACK: Final = "subsession"

EVENT: Final = "PreToolUse"

HOOKS: Final[dict[str, Any]] = {
    EVENT: [{"matcher": "*", "hookCallbackIds": [CALLBACK], "onFailure": "block"}],
}
"""Before every tool we are asked; one that we cannot be asked about is not used."""


class Answers:
    """Answers for one child.

    Args:
        node: gives the child as it stands.
        permissions: judges.
    """

    def __init__(self, node: Callable[[], Node], permissions: Permissions) -> None:
        self._node = node
        self._permissions = permissions

    async def answer(self, asked: dict[str, Any]) -> dict[str, Any]:
        """Answer a request.

        Raises:
            AskedWrongly: the answer is an error.
        """
        match asked.get("subtype"):
            case "can_use_tool":
                return await self._permit(asked)
            case "hook_callback":
                return await self._hook(asked)
            case other:
                raise unknown(other)

    async def _permit(self, asked: dict[str, Any]) -> dict[str, Any]:
        said = asked.get("input")
        refused = await self._judge(asked.get("tool_name"), said)
        if refused:
            return {"behavior": "deny", "message": refused}
        return {"behavior": "allow", "updatedInput": said if isinstance(said, dict) else {}}

    async def _hook(self, asked: dict[str, Any]) -> dict[str, Any]:
        if asked.get("callback_id") != CALLBACK:
            raise AskedWrongly("there is no such hook")
        said = asked.get("input")
        use = said if isinstance(said, dict) else {}
        refused = await self._judge(use.get("tool_name"), use.get("tool_input"))
        if not refused:
            return {}
        verdict = {"permissionDecision": "deny", "permissionDecisionReason": refused}
        return {"hookSpecificOutput": {"hookEventName": EVENT, **verdict}}

    async def _judge(self, tool: Any, said: Any) -> str:
        """Judge one use of a tool; gives the words of its refusal, or nothing."""
        name = tool if isinstance(tool, str) else ""
        use = said if isinstance(said, dict) else {}
        refusal = await self._permissions.judge(self._node(), name, use)
        return denied(refusal.why, refusal.blocker) if refusal is not None else ""
