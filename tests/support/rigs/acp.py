"""A client for ACP agents that decides nothing: tests see every question and every update."""

import asyncio
import json
import os
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final

from tests.support.rigs.rig import SERVER, Prepared, Rig

ANSWER_S: Final = 40.0
LINE: Final = 2**24
Message = dict[str, Any]
CLIENT: Final = {
    "protocolVersion": 1,
    # Why not reading: an agent here takes every error of a read for more than "no such file".
    "clientCapabilities": {"fs": {"readTextFile": False, "writeTextFile": True}},
    "clientInfo": {"name": "test", "version": "0"},
}


class AgentError(Exception):
    """An agent answered a request with an error."""

    def __init__(self, error: Message) -> None:
        super().__init__(json.dumps(error))
        self.code = error["code"]


class Agent:
    """A running agent and one session with it."""

    def __init__(self, process: asyncio.subprocess.Process, report_title: str) -> None:
        self.session = ""
        self.allow = True
        """What is answered when it asks to write or to run; our own tool is always allowed."""
        self.asked: list[Message] = []
        """Permissions it asked for: the tool call with all that was said of it before."""
        self.wrote: list[str] = []
        """Files it asked us to write."""
        self.updates: list[Message] = []
        self._process = process
        self._report_title = report_title
        self._waiting: dict[int, asyncio.Future[Any]] = {}
        self._calls: dict[str, Message] = {}

    @property
    def text(self) -> str:
        """All that its model has said."""
        said = (u for u in self.updates if u["sessionUpdate"] == "agent_message_chunk")
        return "".join(update["content"].get("text", "") for update in said)

    def send(self, method: str, **params: Any) -> asyncio.Future[Any]:
        """Send a request; the future is its result, or an `AgentError`."""
        number = len(self._waiting)
        self._waiting[number] = asyncio.get_running_loop().create_future()
        self._write({"id": number, "method": method, "params": params})
        return self._waiting[number]

    async def ask(self, method: str, **params: Any) -> Any:
        """Send a request and wait for its result."""
        return await asyncio.wait_for(self.send(method, **params), ANSWER_S)

    def prompt(self, text: str) -> asyncio.Future[Any]:
        """Send a prompt to the session."""
        part = {"type": "text", "text": text}
        return self.send("session/prompt", sessionId=self.session, prompt=[part])

    async def play(self, text: str) -> Any:
        """Send a prompt and wait for the end of its turn."""
        return await asyncio.wait_for(self.prompt(text), ANSWER_S)

    async def catch_up(self) -> None:
        """Return when the agent has read all that was sent: it answers unknown words too."""
        await asyncio.wait([self.send("_test/none")], timeout=ANSWER_S)

    def _write(self, message: Message) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")

    async def read(self) -> None:
        """Take in what it says until it has ended."""
        assert self._process.stdout is not None
        async for line in self._process.stdout:
            message = json.loads(line)
            if "method" not in message:
                self._settle(self._waiting[message["id"]], message)
            elif "id" in message:
                told = self._answer(message["method"], message["params"])
                self._write({"id": message["id"], **told})
            elif message["method"] == "session/update":
                self._note(message["params"]["update"])

    def _settle(self, waiting: asyncio.Future[Any], message: Message) -> None:
        if waiting.done():
            return
        if "error" in message:
            waiting.set_exception(AgentError(message["error"]))
        else:
            waiting.set_result(message["result"])

    def _note(self, update: Message) -> None:
        self.updates.append(update)
        if update["sessionUpdate"] in ("tool_call", "tool_call_update"):
            self._calls.setdefault(update["toolCallId"], {}).update(update)

    def _answer(self, method: str, params: Message) -> Message:
        if method == "session/request_permission":
            call = self._calls.get(params["toolCall"]["toolCallId"], {}) | params["toolCall"]
            self.asked.append(call)
            ours = call.get("title") == self._report_title
            wanted = "allow_once" if self.allow or ours else "reject_once"
            option = next(o["optionId"] for o in params["options"] if o["kind"] == wanted)
            return {"result": {"outcome": {"outcome": "selected", "optionId": option}}}
        if method == "fs/write_text_file":
            self.wrote.append(params["path"])
            if not self.allow:
                return {"error": {"code": -32603, "message": "refused"}}
            Path(params["path"]).write_text(params["content"])
            return {"result": None}
        return {"error": {"code": -32601, "message": "unknown"}}


@asynccontextmanager
async def run_agent(
    rig: Rig, prepared: Prepared, workspace: Path, server: Message
) -> AsyncIterator[Agent]:
    """Run an agent with a session in a workspace; its whole process group ends with the block.

    Args:
        rig: the agent.
        prepared: what `prepare` gave.
        workspace: where it works.
        server: our MCP server, as the protocol names one.
    """
    process = await asyncio.create_subprocess_exec(
        *prepared.argv,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        env=prepared.env,
        cwd=workspace,
        start_new_session=True,
        limit=LINE,
    )
    agent = Agent(process, rig.report_title)
    reading = asyncio.create_task(agent.read())
    try:
        await open_session(agent, rig, workspace, server)
        yield agent
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        await process.wait()
        await reading


async def open_session(agent: Agent, rig: Rig, workspace: Path, server: Message) -> None:
    """Say hello as a rig wants it."""
    await agent.ask("initialize", **CLIENT)
    if rig.login:
        await agent.ask("authenticate", methodId=rig.login)
    servers = [{"name": SERVER, **server}] if rig.mcp_servers else []
    opened = await agent.ask("session/new", cwd=str(workspace), mcpServers=servers)
    agent.session = opened["sessionId"]
    if rig.mode:
        await agent.ask("session/set_mode", sessionId=agent.session, modeId=rig.mode)
