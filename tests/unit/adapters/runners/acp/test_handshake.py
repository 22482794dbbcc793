from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from subsessiond.adapters.runners.acp.connection import Connection
from subsessiond.adapters.runners.acp.handshake import (
    NoSession,
    open_session,
    servers_by_http,
    servers_of,
)
from subsessiond.adapters.runners.frames import parse
from subsessiond.model.role import AgentProfile, Channel, McpBy
from tests.support.nodes import node_in

PROFILE = AgentProfile(name="a", runner="acp")
SHIM = ("py", "-m", "shim")
ADDRESS = "http://127.0.0.1:1/mcp"
BY_HTTP = replace(PROFILE, mcp_by=McpBy.HTTP)
GOOD: dict[str, Any] = {
    "initialize": {"result": {"protocolVersion": 1, "agentCapabilities": {}}},
    "session/new": {"result": {"sessionId": "s"}},
}


class Agent:
    """The other end: answers each method as it is told to."""

    def __init__(self, answers: dict[str, Any]) -> None:
        self.answers = answers
        self.asked: list[tuple[str, dict[str, Any]]] = []
        self.connection = Connection(self.write, self)

    async def write(self, line: bytes) -> None:
        frame = parse(line)
        self.asked.append((frame["method"], frame["params"]))
        await self.connection.take({"id": frame["id"], **self.answers[frame["method"]]})

    async def answer(self, method: str, params: dict[str, Any]) -> Any:
        raise AssertionError(method)

    def hear(self, method: str, params: dict[str, Any]) -> None:
        raise AssertionError(method)


async def open_one(answers: dict[str, Any], profile: AgentProfile = PROFILE) -> tuple[Agent, str]:
    """Open a session."""
    agent, node = Agent(answers), node_in(Path("/w"))
    servers = servers_of(node, profile, SHIM)
    if profile.mcp_by is McpBy.HTTP:
        servers = servers_by_http(profile, ADDRESS, "secret")
    return agent, await open_session(agent.connection, node, profile, servers)


async def test_a_session_is_opened_in_the_workspace_with_our_server() -> None:
    """We say what we can and cannot do, and hand over our MCP server."""
    agent, session = await open_one(GOOD)
    assert session == "s"
    (first, said), (second, wanted) = agent.asked
    assert (first, second) == ("initialize", "session/new")
    assert said["protocolVersion"] == 1
    assert said["clientCapabilities"] == {
        "fs": {"readTextFile": False, "writeTextFile": True},
        "terminal": False,
    }
    (server,) = wanted["mcpServers"]
    assert wanted["cwd"] == "/w"
    assert (server["name"], server["command"], server["args"]) == (
        "subsession",
        "py",
        ["-m", "shim"],
    )
    assert server["env"] == [{"name": "SUBSESSION_NODE", "value": "0" * 26}]


async def test_login_and_mode_are_asked_for_where_the_profile_says_so() -> None:
    """The order is: agree, log in, open, choose the mode."""
    answers = GOOD | {"authenticate": {"result": {}}, "session/set_mode": {"result": {}}}
    agent, _ = await open_one(answers, replace(PROFILE, login="key", mode="ask"))
    assert [method for method, _ in agent.asked] == [
        "initialize",
        "authenticate",
        "session/new",
        "session/set_mode",
    ]
    assert agent.asked[1][1] == {"methodId": "key"}
    assert agent.asked[3][1] == {"sessionId": "s", "modeId": "ask"}


@pytest.mark.parametrize(
    "fields",
    [{"mcp_servers": False}, {"channel": Channel.CLI}, {"channel": Channel.CLOSING_RESULT}],
)
def test_an_agent_that_gets_our_tools_by_another_way_gets_no_server(fields: Any) -> None:
    """Nothing is handed over twice."""
    assert servers_of(node_in(Path("/w")), replace(PROFILE, **fields), SHIM) == []
    assert servers_by_http(replace(BY_HTTP, **fields), ADDRESS, "secret") == []


async def test_an_agent_that_takes_addresses_alone_gets_ours_and_its_token() -> None:
    """The address is the daemon's, and the token goes in a header, as the protocol has it."""
    able = {"mcpCapabilities": {"http": True}}
    answers = GOOD | {"initialize": {"result": {"protocolVersion": 1, "agentCapabilities": able}}}
    agent, _ = await open_one(answers, BY_HTTP)
    header = {"name": "Authorization", "value": "Bearer secret"}
    server = {"type": "http", "name": "subsession", "url": ADDRESS, "headers": [header]}
    assert agent.asked[1][1]["mcpServers"] == [server]


@pytest.mark.parametrize(
    "able", [{}, {"mcpCapabilities": "all"}, {"mcpCapabilities": {"http": False, "sse": True}}]
)
async def test_an_agent_that_takes_no_address_is_told_none(able: Any) -> None:
    """Who would not come back to us is not given a token."""
    answers = GOOD | {"initialize": {"result": {"protocolVersion": 1, "agentCapabilities": able}}}
    with pytest.raises(NoSession, match="takes no MCP server over HTTP"):
        await open_one(answers, BY_HTTP)


@pytest.mark.parametrize(
    ("answers", "why", "said"),
    [
        ({"initialize": {"result": {"protocolVersion": 2}}}, "not speak version 1 of ACP", "is 2"),
        ({"initialize": {"result": "text"}}, "not speak version 1 of ACP", "is none"),
        (
            {"initialize": {"result": {"protocolVersion": "secret words"}}},
            "not speak version 1 of ACP",
            "is none",
        ),
        (
            {"initialize": {"error": {"code": int("7" * 400), "message": "boom"}}},
            "answered initialize with error None",
            "boom",
        ),
        (
            {"initialize": {"error": {"code": -32603, "message": "boom"}}},
            "answered initialize with error -32603",
            "boom",
        ),
        ({"session/new": {"result": {}}}, "a session without a usable id", ""),
        ({"session/new": {"result": {"sessionId": 5}}}, "a session without a usable id", ""),
        ({"session/new": {"result": {"sessionId": "x" * 2_000}}}, "without a usable id", ""),
        (
            {"session/new": {"error": {"code": -32000, "message": "Authentication required"}}},
            "wants a login first",
            "Authentication required",
        ),
        (
            {"session/new": {"error": {"code": 1, "message": "no"}}},
            "answered session/new with error 1",
            "no",
        ),
    ],
)
async def test_an_agent_that_does_not_follow_is_left(
    answers: dict[str, Any], why: str, said: str
) -> None:
    """Each step that fails is named in our words; the agent's own are for the operator."""
    with pytest.raises(NoSession, match=why) as raised:
        await open_one(GOOD | answers)
    assert said in raised.value.said
    assert not said or said not in raised.value.why


async def test_a_login_names_what_the_agent_offers() -> None:
    """A person is told the methods there are, whatever stands among them; a parent is not."""
    methods = [{"id": "oauth"}, "x", {"id": [[]]}, {"id": "api-key"}]
    able = {"protocolVersion": 1, "authMethods": methods}
    answers = {
        "initialize": {"result": able},
        "session/new": {"error": {"code": -32000, "message": "x"}},
    }
    with pytest.raises(NoSession, match="wants a login first") as raised:
        await open_one(answers)
    assert raised.value.said == "error -32000: x (it offers oauth, api-key)"
    assert "oauth" not in raised.value.why
