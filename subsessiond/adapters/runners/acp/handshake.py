"""From a process that was just started to the one session in which its child lives."""

from typing import Any, Final

from subsessiond import __version__
from subsessiond.adapters.runners.acp.connection import AnsweredError, Connection
from subsessiond.adapters.runners.acp.permissions import SERVER
from subsessiond.core.bounds import one_line
from subsessiond.model.node import Node
from subsessiond.model.role import AgentProfile, Channel

PROTOCOL: Final = 1
AUTH_REQUIRED: Final = -32000

NAMED_BYTES: Final = 200

# Why no reading: it is never blocked, so an agent's own reading is as good; and one agent takes any
# error for "there is a file", so that with our reading it could not write a new one.
INITIALIZE: Final[dict[str, Any]] = {
    "protocolVersion": PROTOCOL,
    "clientCapabilities": {"fs": {"readTextFile": False, "writeTextFile": True}, "terminal": False},
    "clientInfo": {"name": "subsessiond", "title": "subsessiond", "version": __version__},
}


class NoSession(Exception):
    """The agent is there, but will not work for this child.

    Attributes:
        why: words of ours.
        said: words of the agent, for the operator.
    """

    def __init__(self, why: str, said: str = "") -> None:
        super().__init__(why)
        self.why = why
        self.said = said


async def open_session(
    connection: Connection, node: Node, profile: AgentProfile, shim: tuple[str, ...]
) -> str:
    """Agree on the protocol and open a session; returns its id.

    Raises:
        NoSession: says at which step the agent did not follow.
        ConnectionLost: it went.
    """
    able = await _ask(connection, "initialize", INITIALIZE)
    version = able.get("protocolVersion")
    if version != PROTOCOL:
        raise NoSession(f"it speaks version {one_line(str(version), 20)} of ACP, not {PROTOCOL}")
    if profile.login:
        await _ask(connection, "authenticate", {"methodId": profile.login})
    wanted = {"cwd": node.workspace, "mcpServers": servers_of(node, profile, shim)}
    session = await _ask(connection, "session/new", wanted, able)
    session_id = session.get("sessionId")
    if not isinstance(session_id, str) or not session_id:
        raise NoSession("it opened a session without an id")
    if profile.mode:
        mode = {"sessionId": session_id, "modeId": profile.mode}
        await _ask(connection, "session/set_mode", mode)
    return session_id


def servers_of(node: Node, profile: AgentProfile, shim: tuple[str, ...]) -> list[dict[str, Any]]:
    """Give the MCP servers of a session: ours, unless it comes to the agent by another way.

    Why the mark in its environment: some agents give their servers none of their own, and it is by
    the mark that a process is known in the weakest container.
    """
    if profile.channel is not Channel.MCP or not profile.mcp_servers:
        return []
    mark = {"name": "SUBSESSION_NODE", "value": str(node.node_id)}
    return [{"name": SERVER, "command": shim[0], "args": list(shim[1:]), "env": [mark]}]


async def _ask(
    connection: Connection,
    method: str,
    params: dict[str, Any],
    able: dict[str, Any] | None = None,
) -> dict[str, Any]:
    try:
        answer = await connection.request(method, params)
    except AnsweredError as error:
        if error.code == AUTH_REQUIRED:
            raise NoSession(_login_words(able or {}), str(error)) from error
        raise NoSession(f"it answered {method} with error {error.code}", str(error)) from error
    return answer if isinstance(answer, dict) else {}


def _login_words(able: dict[str, Any]) -> str:
    """Say that somebody has to log in, and by which methods."""
    methods = able.get("authMethods")
    rows = [row for row in methods if isinstance(row, dict)] if isinstance(methods, list) else []
    names = ", ".join(str(row.get("id")) for row in rows)
    words = "it wants a login first: log in by hand, or name a method as `login` in its profile"
    return f"{words} (it offers {one_line(names, NAMED_BYTES)})" if names else words
