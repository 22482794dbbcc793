"""From a process that was just started to the one session in which its child lives."""

from typing import Any, Final

from subsessiond import __version__
from subsessiond.adapters.runners.acp.connection import AnsweredError, Connection
from subsessiond.adapters.runners.acp.permissions import SERVER
from subsessiond.core.bounds import one_line
from subsessiond.model.node import Node
from subsessiond.model.role import AgentProfile, Channel, McpBy

PROTOCOL: Final = 1
AUTH_REQUIRED: Final = -32000

NAMED_BYTES: Final = 200
METHODS_MOST: Final = 32
SESSION_LONGEST: Final = 1_024
"""Characters of a session's id, which stands in every message."""

VERSIONS: Final = 1_000_000
LOGIN: Final = "it wants a login first: log in by hand, or name a method as `login` in its profile"

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
    connection: Connection, node: Node, profile: AgentProfile, servers: list[dict[str, Any]]
) -> str:
    """Agree on the protocol and open a session; returns its id.

    Args:
        connection: To the agent.
        node: The child.
        profile: How its agent is run.
        servers: Its MCP servers, as `servers_of` or `servers_by_http` gives them.

    Raises:
        NoSession: says at which step the agent did not follow.
        ConnectionLost: it went.
    """
    able = await _ask(connection, "initialize", INITIALIZE)
    version = able.get("protocolVersion")
    if version != PROTOCOL:
        said = _number(version)
        raise NoSession(f"it does not speak version {PROTOCOL} of ACP", f"its version is {said}")
    if profile.login:
        await _ask(connection, "authenticate", {"methodId": profile.login})
    if servers and profile.mcp_by is McpBy.HTTP and not _takes_http(able):
        raise NoSession('it takes no MCP server over HTTP: its profile says mcp_by = "http"')
    wanted = {"cwd": node.workspace, "mcpServers": servers}
    session = await _ask(connection, "session/new", wanted, able)
    session_id = session.get("sessionId")
    if not isinstance(session_id, str) or not 0 < len(session_id) <= SESSION_LONGEST:
        raise NoSession("it opened a session without a usable id")
    if profile.mode:
        mode = {"sessionId": session_id, "modeId": profile.mode}
        await _ask(connection, "session/set_mode", mode)
    return session_id


def servers_of(node: Node, profile: AgentProfile, shim: tuple[str, ...]) -> list[dict[str, Any]]:
    """Give the MCP servers of a session: ours, unless it comes to the agent by another way.

    Why the mark in its environment: some agents give their servers none of their own, and it is by
    the mark that a process is known in the weakest container.
    """
    if not takes_server(profile):
        return []
    mark = {"name": "SUBSESSION_NODE", "value": str(node.node_id)}
    return [{"name": SERVER, "command": shim[0], "args": list(shim[1:]), "env": [mark]}]


def servers_by_http(profile: AgentProfile, address: str, token: str) -> list[dict[str, Any]]:
    """Give the same for an agent that takes servers by their address alone.

    Why the token in a header: it goes by the agent's own input, so that no command line and no
    file ever holds it.
    """
    if not takes_server(profile):
        return []
    header = {"name": "Authorization", "value": f"Bearer {token}"}
    return [{"type": "http", "name": SERVER, "url": address, "headers": [header]}]


def takes_server(profile: AgentProfile) -> bool:
    """Tell whether our MCP server comes to an agent with its session."""
    return profile.channel is Channel.MCP and profile.mcp_servers


def _takes_http(able: dict[str, Any]) -> bool:
    """Tell whether an agent says so; one that says nothing of it does not."""
    abilities = able.get("agentCapabilities")
    by = abilities.get("mcpCapabilities") if isinstance(abilities, dict) else None
    return isinstance(by, dict) and by.get("http") is True


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
            raise NoSession(LOGIN, f"{error}{_methods(able or {})}") from error
        raise NoSession(f"it answered {method} with error {error.code}", str(error)) from error
    return answer if isinstance(answer, dict) else {}


def _methods(able: dict[str, Any]) -> str:
    """Name the methods by which somebody may log in; the agent's words, as all it names."""
    methods = able.get("authMethods")
    rows = [row for row in methods if isinstance(row, dict)] if isinstance(methods, list) else []
    ids = [found for row in rows[:METHODS_MOST] if isinstance(found := row.get("id"), str)]
    return f" (it offers {one_line(', '.join(ids), NAMED_BYTES)})" if ids else ""


def _number(version: Any) -> str:
    return str(version) if isinstance(version, int) and 0 <= version < VERSIONS else "none"
