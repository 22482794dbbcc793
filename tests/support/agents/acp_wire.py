"""The pipes of a stub ACP agent: lines out, answers in, and our MCP server."""

import json
import os
import subprocess
import sys
import threading
import urllib.request
from abc import ABC, abstractmethod
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


class Tools(ABC):
    """Our MCP server as a client sees it."""

    listed: list[str]

    @abstractmethod
    def ask(self, method: str, params: dict[str, Any]) -> Any:
        """Ask and wait."""

    @abstractmethod
    def _say(self, frame: dict[str, Any]) -> Any:
        """Say something; gives what is answered at once."""

    def greet(self) -> None:
        """Say hello and look at the tools."""
        who = {"name": "stub", "version": "1"}
        hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": who}
        self.ask("initialize", hello)
        self._say({"method": "notifications/initialized"})
        self.listed = [tool["name"] for tool in self.ask("tools/list", {})["tools"]]

    def call(self, name: str, args: dict[str, Any]) -> Any:
        """Call a tool."""
        return self.ask("tools/call", {"name": name, "arguments": args})


class AddressedTools(Tools):
    """The same at an address, over HTTP."""

    def __init__(self, server: dict[str, Any]) -> None:
        self._address = server["url"]
        self._headers = {row["name"]: row["value"] for row in server["headers"]}
        self._headers["Content-Type"] = "application/json"
        self._headers["Accept"] = "application/json, text/event-stream"
        self._next = 1
        self.greet()

    def ask(self, method: str, params: dict[str, Any]) -> Any:
        """Ask and wait."""
        self._next += 1
        answer = self._say({"id": self._next, "method": method, "params": params})
        frame = json.loads(answer)
        return frame.get("result", frame.get("error"))

    def _say(self, frame: dict[str, Any]) -> bytes:
        message = json.dumps({"jsonrpc": "2.0", **frame}).encode()
        request = urllib.request.Request(self._address, message, self._headers)
        with urllib.request.urlopen(request, timeout=20) as answer:
            if session := answer.headers.get("Mcp-Session-Id"):
                self._headers["Mcp-Session-Id"] = session
            said: bytes = answer.read()
            return said


class StartedTools(Tools):
    """The same as a program that was started."""

    def __init__(self, server: dict[str, Any]) -> None:
        env = os.environ | {row["name"]: row["value"] for row in server.get("env", ())}
        self._process = subprocess.Popen(
            [server["command"], *server["args"]],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=env,
        )
        self._next = 1
        self.greet()

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


def tools_of(server: dict[str, Any]) -> Tools:
    """Connect to a server as it was named."""
    return AddressedTools(server) if server.get("type") == "http" else StartedTools(server)
