"""A Claude Code that plays a script, for tests; it loads the standard library alone.

    python -m tests.support.agents.claude_agent '{"turns": [[{"report": {}}, {"result": {}}]]}'

The script is the argument, or its turns ride in a message as SCRIPT[[...], [...]]. A turn is a list
of steps, whose names are the methods `do_…` of `Turn` here and in `acp_agent`. What is not in the
script is done as well as the agent does it: `initialize` is answered, it starts the MCP server that
`SERVER` (JSON, in its environment) names, tells what becomes of each message, and ends each turn.
All that it hears is written down in `.agent-<node>.jsonl` of its folder.
"""

import json
import os
import queue
import sys
import threading
import time
from typing import Any

from tests.support.agents import acp_agent
from tests.support.agents.acp_wire import StartedTools, Wire

GOOD = {"subtype": "success", "is_error": False, "stop_reason": "end_turn", "result": "bye"}
ABORTED = {
    "subtype": "error_during_execution",
    "is_error": True,
    "terminal_reason": "aborted_streaming",
}


class ControlWire(Wire):
    """Lines without the words of JSON-RPC."""

    def send(self, **frame: Any) -> None:
        """Print a line."""
        self.raw(json.dumps(frame).encode() + b"\n")


class Turn(acp_agent.Turn):
    """Plays the steps of one turn, or of the start."""

    agent: "Agent"

    def do_update(self, value: dict[str, Any]) -> None:
        self.agent.wire.send(**value)

    def do_line(self, value: int) -> None:
        """A line of exactly so many bytes, its end not counted."""
        head, tail = json.dumps({"type": "assistant", "x": "FILL"}).split("FILL")
        self.agent.wire.raw(f"{head}{'x' * (value - len(head) - len(tail))}{tail}\n".encode())

    def do_ask(self, value: list[dict[str, Any]]) -> None:
        """Ask all at once; each is a request, or one with a name of its own."""
        began = time.monotonic()
        answers = self.agent.ask(value)
        self.agent.wire.note(answers=answers, seconds=time.monotonic() - began)

    def do_write(self, value: str) -> None:
        """Write a file as the agent does: after its hook and its question, where both allow it."""
        path = os.path.abspath(value)
        said = {"file_path": path, "content": "x"}
        hook = {"subtype": "hook_callback", "callback_id": "subsession"}
        used = {"tool_name": "Write", "tool_input": said}
        question = {"subtype": "can_use_tool", "tool_name": "Write", "input": said}
        for asked in ({**hook, "input": used}, question):
            (answer,) = self.agent.ask([asked])
            if "deny" in json.dumps(answer):
                self.agent.wire.note(refused=answer)
                return
        with open(path, "w", encoding="utf-8") as file:
            file.write("x")

    def do_until_second(self, _: Any) -> None:
        """Wait for another message, and show it to the model."""
        name = self.agent.messages.get()[0]
        self.agent.fate(name, "started")

    def do_result(self, value: dict[str, Any]) -> bool:
        self._end(**value)
        return True

    def do_stop(self, value: Any) -> bool:
        self._end(stop_reason=value)
        return True

    def do_silent(self, _: Any) -> bool:
        """Leave the turn without ending it."""
        return True

    def _end(self, **answer: Any) -> None:
        usage = {"usage": self.usage} if self.usage else {}
        self.agent.turn = None
        self.agent.wire.send(type="result", **{**GOOD, **usage, **answer})


class Agent(acp_agent.Agent):
    """One session."""

    def __init__(self, script: dict[str, Any]) -> None:
        super().__init__(script)
        self.wire = ControlWire()
        self.messages: queue.Queue[tuple[str, str]] = queue.Queue()
        self._asked = 0

    def live(self) -> None:
        """Read until the input ends."""
        Turn(self).play(self.script.get("start", []))
        threading.Thread(target=self.play, daemon=True).start()
        for line in sys.stdin.buffer:
            frame = json.loads(line)
            self.wire.note(got=frame)
            self.take(frame)
        self.wire.note(got="end of input")
        while self.stays:
            time.sleep(600)
        Turn(self).play(self.script.get("finish", []))

    def take(self, frame: dict[str, Any]) -> None:
        """Take a line of the client."""
        if frame["type"] == "control_response":
            self.wire.answered({"id": frame["response"]["request_id"], **frame})
        elif frame["type"] == "control_request":
            self.reply(frame["request_id"], frame["request"])
        else:
            self.fate(frame["uuid"], "queued")
            self.messages.put((frame["uuid"], frame["message"]["content"]))

    def reply(self, name: str, request: dict[str, Any]) -> None:
        """Answer a request of the client, as the script has it or well."""
        subtype = request["subtype"]
        Turn(self).play(self.script.get(f"before {subtype}", []))
        said = {"subtype": "success", "response": {}, **self.script.get(subtype, {})}
        self.wire.send(type="control_response", response={"request_id": name, **said})
        if subtype == "initialize" and os.environ.get("SERVER") and self.script.get("tools", True):
            self.tools = StartedTools(json.loads(os.environ["SERVER"]))
            self.wire.note(listed=self.tools.listed)
        Turn(self).play(self.script.get(f"after {subtype}", []))
        if subtype == "interrupt":
            self.cancel()

    def cancel(self) -> None:
        """End the turn as interrupted."""
        if isinstance(turn := self.turn, Turn):
            turn.cancelled.set()
            if not self.script.get("ignores_cancel"):
                turn.do_result(ABORTED)

    def ask(self, requests: list[dict[str, Any]]) -> list[Any]:
        """Ask all at once and wait for all answers."""
        named = []
        for request in requests:
            self._asked += 1
            frame = request if "request" in request else {"request": request}
            name = f"q{self._asked}"
            named.append({"id": name, "type": "control_request", "request_id": name, **frame})
        return self.wire.ask(named)

    def fate(self, name: str, state: str) -> None:
        """Tell what becomes of a message."""
        if self.script.get("tells", True):
            self.wire.send(type="command_lifecycle", command_uuid=name, state=state)

    def play(self) -> None:
        """Play one turn after the other."""
        while True:
            name, text = self.messages.get()
            if found := acp_agent.RIDING.search(text):
                self.turns = json.loads(found[1])
            steps = self.turns.pop(0) if self.turns else []
            self.turn = Turn(self, name)
            self.fate(name, "started")
            self.wire.note(prompt=text)
            self.turn.play(steps)


if __name__ == "__main__":
    Agent(json.loads(sys.argv[1]) if len(sys.argv) > 1 else {}).live()
