"""The pipes of a stub ACP agent: lines out, answers in, and our MCP server."""

import json
import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any


class Wire:
    """Lines out, frames in, and a record of both."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._log = Path(f".agent-{os.environ.get('SUBSESSION_NODE', 'x')}.jsonl")
        self._answers: dict[Any, Any] = {}
        self._came = threading.Condition()
        self._next = 1

    def note(self, **entry: Any) -> None:
        """Write something down."""
        with self._lock, self._log.open("a") as log:
            log.write(json.dumps(entry) + "\n")

    def raw(self, data: bytes) -> None:
        """Print bytes as they are."""
        with self._lock:
            sys.stdout.buffer.write(data)
            sys.stdout.buffer.flush()

    def send(self, **frame: Any) -> None:
        """Print a frame."""
        self.raw(json.dumps({"jsonrpc": "2.0", **frame}).encode() + b"\n")

    def ask(self, questions: list[dict[str, Any]]) -> list[Any]:
        """Ask all at once and wait for all answers."""
        names = []
        for question in questions:
            name = question.pop("id", f"q{self._next}")
            self._next += 1
            names.append(json.dumps(name))
            self.send(id=name, **question)
        with self._came:
            self._came.wait_for(lambda: all(name in self._answers for name in names), 20)
        return [self._answers.pop(name, "no answer") for name in names]

    def answered(self, frame: dict[str, Any]) -> None:
        """Take an answer."""
        with self._came:
            self._answers[json.dumps(frame.get("id"))] = frame
            self._came.notify_all()


class Tools:
    """Our MCP server as a client sees it."""

    def __init__(self, server: dict[str, Any]) -> None:
        env = os.environ | {row["name"]: row["value"] for row in server.get("env", ())}
        self._process = subprocess.Popen(
            [server["command"], *server["args"]],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=env,
        )
        self._next = 1
        who = {"name": "stub", "version": "1"}
        hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": who}
        self.ask("initialize", hello)
        self._say({"method": "notifications/initialized"})
        self.listed = [tool["name"] for tool in self.ask("tools/list", {})["tools"]]

    def call(self, name: str, args: dict[str, Any]) -> Any:
        """Call a tool."""
        return self.ask("tools/call", {"name": name, "arguments": args})

    def ask(self, method: str, params: dict[str, Any]) -> Any:
        """Ask and wait."""
        self._next += 1
        self._say({"id": self._next, "method": method, "params": params})
        assert self._process.stdout is not None
        for line in self._process.stdout:
            frame = json.loads(line)
            if frame.get("id") == self._next:
                return frame.get("result", frame.get("error"))
        return "the server is gone"

    def _say(self, frame: dict[str, Any]) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps({"jsonrpc": "2.0", **frame}).encode() + b"\n")
        self._process.stdin.flush()
