"""What the agent may ask of us, and what it tells us unasked."""

from collections.abc import Awaitable, Callable
from typing import Any, Final

from subsessiond.adapters.runners.acp.connection import METHOD_NOT_FOUND, AskedWrongly
from subsessiond.adapters.runners.acp.files import Files
from subsessiond.adapters.runners.acp.permissions import CANCELLED, Permissions
from subsessiond.adapters.runners.acp.updates import Updates
from subsessiond.core.bounds import one_line
from subsessiond.model.node import Node

UNKNOWN_SESSION: Final = -32602

NAMED_BYTES: Final = 100


class Answers:
    """Answers for one session; what speaks of another one grants nothing and says nothing.

    Args:
        node: gives the child as it stands.
        in_turn: tells whether a turn runs.
        parts: what answers.
    """

    def __init__(
        self,
        node: Callable[[], Node],
        in_turn: Callable[[], bool],
        parts: tuple[Permissions, Files, Updates],
    ) -> None:
        self._node = node
        self._in_turn = in_turn
        self._permissions, self._files, self._updates = parts
        self.session = ""
        """Its id, once there is one."""

    async def answer(self, method: str, params: dict[str, Any]) -> Any:
        """Answer a request.

        Raises:
            AskedWrongly: the answer is an error.
        """
        known = self._known().get(method)
        if known is None:
            words = f"Method not found: {one_line(method, NAMED_BYTES)}"
            raise AskedWrongly(METHOD_NOT_FOUND, words)
        if self.session and params.get("sessionId") == self.session:
            return await known(self._node(), params)
        if method == "session/request_permission":
            return CANCELLED
        raise AskedWrongly(UNKNOWN_SESSION, "Invalid params: there is no such session")

    def hear(self, method: str, params: dict[str, Any]) -> None:
        """Take a notification; one that nobody knows is nobody's fault."""
        if method == "session/update" and params.get("sessionId") == self.session:
            self._updates.take(params.get("update"), in_turn=self._in_turn())

    def _known(self) -> dict[str, Callable[[Node, dict[str, Any]], Awaitable[Any]]]:
        return {
            "session/request_permission": self._permissions.answer,
            "fs/read_text_file": self._files.read,
            "fs/write_text_file": self._files.write,
        }
