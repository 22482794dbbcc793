"""An ACP agent that plays a script, for tests; it loads the standard library alone.

    python -m tests.support.agents.acp_agent '{"turns": [[{"report": {}}, {"stop": "refusal"}]]}'

The script is the argument, or its turns ride in a prompt as SCRIPT[[...], [...]]. A turn is a list
of steps, whose names are the methods `do_…` of `Turn`. What is not in the script is done as well as
an agent does it: it starts our MCP server, lists its tools, and ends each turn. All that it hears
is written down in `.agent-<node>.jsonl` of its folder.
"""

import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

from tests.support.agents.acp_wire import Tools, Wire, tools_of

INIT = {"protocolVersion": 1, "agentCapabilities": {"loadSession": False}, "authMethods": []}
HTTP = {"mcpCapabilities": {"http": True, "sse": True}}
INIT_HTTP = INIT | {"agentCapabilities": HTTP}
RIDING = re.compile(r"SCRIPT(\[\[.*\]\])", re.DOTALL)


class Turn:
    """Plays the steps of one turn, or of the start."""

    def __init__(self, agent: "Agent", prompt_id: Any = None) -> None:
        self.agent = agent
        self.ids = [prompt_id]
        self.cancelled = threading.Event()
        self.usage: Any = None

    def play(self, steps: list[dict[str, Any]]) -> None:
        """Play all; a turn that does not end itself ends well."""
        for step in steps:
            for verb, value in step.items():
                if getattr(self, f"do_{verb}")(value):
                    return
        if self.ids[0] is not None:
            self.do_stop("end_turn")

    def do_update(self, value: dict[str, Any]) -> None:
        self.agent.update(value)

    def do_notify(self, value: dict[str, Any]) -> None:
        self.agent.wire.send(**value)

    def do_print(self, value: str) -> None:
        self.agent.wire.raw(value.encode())

    def do_hex(self, value: str) -> None:
        self.agent.wire.raw(bytes.fromhex(value))

    def do_line(self, value: int) -> None:
        """A valid update of exactly so many bytes, its end not counted."""
        update = {"sessionUpdate": "agent_message_chunk", "x": "FILL"}
        params = {"sessionId": self.agent.session, "update": update}
        frame = {"jsonrpc": "2.0", "method": "session/update", "params": params}
        head, tail = json.dumps(frame).split("FILL")
        fill = "x" * (value - len(head) - len(tail))
        self.agent.wire.raw(f"{head}{fill}{tail}\n".encode())

    def do_junk(self, value: int) -> None:
        """So many bytes of one line, in pieces of 64 KiB of which the last ends it."""
        for _ in range(value // 65_536 - 1):
            self.agent.wire.raw(b"x" * 65_536)
        self.agent.wire.raw(b"x" * 65_535 + b"\n")

    def do_flood(self, _: Any) -> None:
        """Print as much as is read."""
        while True:
            self.agent.wire.raw(b"x" * 1_000 + b"\n")

    def do_babble(self, value: str) -> None:
        """Print without end, but not much."""
        while True:
            self.agent.wire.raw(value.encode())
            time.sleep(0.05)

    def do_ask(self, value: list[dict[str, Any]]) -> None:
        for question in value:
            question.setdefault("params", {}).setdefault("sessionId", self.agent.session)
        began = time.monotonic()
        answers = self.agent.wire.ask(value)
        self.agent.wire.note(answers=answers, seconds=time.monotonic() - began)

    def do_report(self, value: dict[str, Any]) -> None:
        self.do_tool({"report": value})

    def do_large_report(self, value: int) -> None:
        """Send a completed final of so many bytes."""
        self.do_report({"stage": "final", "outcome": "completed", "output": "x" * value})

    def do_large_write(self, value: dict[str, Any]) -> None:
        """Have the client write a file of so many bytes."""
        params = {"path": os.path.abspath(value["path"]), "content": "x" * value["bytes"]}
        self.do_ask([{"method": "fs/write_text_file", "params": params}])

    def do_tool(self, value: dict[str, Any]) -> None:
        for name, args in value.items():
            tools = self.agent.tools
            said = tools.call(name, args) if tools is not None else "no tools"
            self.agent.wire.note(tool=name, said=said)

    def do_shell(self, value: list[str]) -> None:
        """Run a program and write down what it said."""
        done = subprocess.run(
            value, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False
        )
        self.agent.wire.note(shell=value[0], code=done.returncode, out=done.stdout + done.stderr)

    def do_start(self, value: list[str]) -> None:
        """Start a program that inherits every pipe, and leave it."""
        subprocess.Popen(value)

    def do_stderr(self, value: dict[str, Any]) -> None:
        data = bytes.fromhex(value.get("hex", "")) or value.get("text", "x").encode()
        data *= value.get("repeat", 1)
        for _ in range(value.get("times", 1)):
            sys.stderr.buffer.write(data)
        sys.stderr.buffer.flush()

    def do_touch(self, value: str) -> None:
        Path(value).touch()

    def do_wait_file(self, value: str) -> None:
        while not Path(value).exists():
            time.sleep(0.005)

    def do_until_cancel(self, _: Any) -> None:
        self.cancelled.wait()

    def do_until_second(self, _: Any) -> None:
        while len(self.ids) < 2:
            time.sleep(0.005)

    def do_hang(self, _: Any) -> None:
        threading.Event().wait()

    def do_deaf(self, _: Any) -> None:
        """Hear neither the end of the input nor TERM."""
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        self.agent.stays = True

    def do_exit(self, value: int) -> None:
        os._exit(value)

    def do_kill(self, value: int) -> None:
        os.kill(os.getpid(), value)

    def do_quit(self, value: str) -> bool:
        """End the turn, and leave once a file is there."""
        self.do_stop("end_turn")
        self.do_wait_file(value)
        os._exit(0)

    def do_close(self, value: str) -> None:
        """Close a pipe and live on."""
        fd = {"stdin": 0, "stdout": 1, "stderr": 2}[value]
        os.dup2(os.open("/dev/null", os.O_RDWR), fd)

    def do_usage(self, value: Any) -> None:
        self.usage = value

    def do_error(self, value: dict[str, Any]) -> bool:
        self._end(error=value)
        return True

    def do_stop(self, value: Any) -> bool:
        self._end(result={"stopReason": value} | ({"usage": self.usage} if self.usage else {}))
        return True

    def do_twice(self, value: str) -> bool:
        """Answer twice."""
        ids = list(self.ids)
        self.do_stop(value)
        for prompt_id in ids:
            self.agent.wire.send(id=prompt_id, result={"stopReason": "refusal"})
        return True

    def _end(self, **answer: Any) -> None:
        self.agent.turn = None
        for prompt_id in self.ids:
            self.agent.wire.send(id=prompt_id, **answer)


class Agent:
    """One session."""

    def __init__(self, script: dict[str, Any]) -> None:
        self.script = script
        self.wire = Wire()
        self.session = script.get("session", "s-1")
        self.turns: list[list[dict[str, Any]]] = script.get("turns", [])
        self.tools: Tools | None = None
        self.turn: Turn | None = None
        self.stays = bool(script.get("stays"))

    def live(self) -> None:
        """Read until the input ends."""
        Turn(self).play(self.script.get("start", []))
        for line in sys.stdin.buffer:
            frame = json.loads(line)
            self.wire.note(got=frame)
            if "method" not in frame:
                self.wire.answered(frame)
            else:
                self.asked(frame)
        self.wire.note(got="end of input")
        while self.stays:
            time.sleep(600)
        Turn(self).play(self.script.get("finish", []))

    def update(self, update: dict[str, Any]) -> None:
        """Tell of something."""
        params = {"sessionId": self.session, "update": update}
        self.wire.send(method="session/update", params=params)

    def asked(self, frame: dict[str, Any]) -> None:
        """Answer a request of the client."""
        method, params = frame["method"], frame.get("params", {})
        if method == "session/prompt":
            self.prompted(frame["id"], params["prompt"][0]["text"])
        elif method == "session/cancel":
            self.cancel()
        else:
            self.answer(frame["id"], method, params)

    def answer(self, name: Any, method: str, params: dict[str, Any]) -> None:
        """Answer a step of the handshake, as the script has it or well."""
        Turn(self).play(self.script.get(f"before {method}", []))
        default: dict[str, Any] = {}
        if method == "initialize":
            default = INIT_HTTP if self.script.get("http_alone") else INIT
        elif method == "session/new":
            default = {"sessionId": self.session}
            if self.script.get("http_alone") and any("url" not in s for s in params["mcpServers"]):
                self.wire.send(id=name, error={"code": -32602, "message": "http servers only"})
                return
        self.wire.send(id=name, **self.script.get(method, {"result": default}))
        Turn(self).play(self.script.get(f"after {method}", []))
        if method == "session/new" and params["mcpServers"] and self.script.get("tools", True):
            self.tools = tools_of(params["mcpServers"][0])
            self.wire.note(listed=self.tools.listed)

    def prompted(self, name: Any, text: str) -> None:
        """Begin a turn, or note that one runs already."""
        if (turn := self.turn) is not None:
            self.wire.note(second=text)
            if "second" in self.script:
                self.wire.send(id=name, **self.script["second"])
            else:
                turn.ids.append(name)
            return
        if found := RIDING.search(text):
            self.turns = json.loads(found[1])
        steps = self.turns.pop(0) if self.turns else []
        self.turn = Turn(self, name)
        threading.Thread(target=self.turn.play, args=(steps,), daemon=True).start()

    def cancel(self) -> None:
        """End the turn as cancelled."""
        if (turn := self.turn) is not None:
            turn.cancelled.set()
            if not self.script.get("ignores_cancel"):
                turn.do_stop("cancelled")


if __name__ == "__main__":
    Agent(json.loads(sys.argv[1]) if len(sys.argv) > 1 else {}).live()
