"""Runs three children against a small real model, and prints what came of each.

Each must end by itself, with a settled record that is true; else the exit status is 1.
"""

import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, Final

from tests.support.daemon import Daemon
from tests.support.hire import wait_for

CONTEXT_TOKENS: Final = 1_024
CHILD_S: Final = 100.0

ROLES: Final = '[reader]\ntier = "small"\ntools = ["read", "search"]\ntoken_cap = 20_000\n'
AGENTS: Final = """
[tiers]
small = "small"

[agents.small]
runner = "model"
endpoint = "http://127.0.0.1:{port}/v1"
model = "SmolLM2-135M-Instruct"
"""
MISSIONS: Final = (
    ("short", "In one sentence: what is a unit test?"),
    ("chatter", "Write down every whole number from one to ten thousand in words."),
    ("too long", "word " * 3_000 + "Say ok."),
)


def main() -> int:
    """Serve the model, let every child live and end, and tell."""
    wheels, port = sys.argv[1], free_port()
    serve = Path(__file__).with_name("serve.py")
    command = [sys.executable, str(serve), wheels, str(port), str(CONTEXT_TOKENS)]
    quiet = subprocess.DEVNULL
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=quiet
    ) as server:
        try:
            assert server.stdout is not None
            if server.stdout.readline().strip() != b"ready":
                say("the model could not be served")
                return 1
            return run(port)
        finally:
            server.kill()


def run(port: int) -> int:
    """Run the children one after the other."""
    tables = {"roles.toml": ROLES, "agents.toml": AGENTS.format(port=port)}
    bad = 0
    with Daemon(config=tables) as daemon:
        root = daemon.open()
        for name, mission in MISSIONS:
            began = time.monotonic()
            answer = daemon.call(
                "subsession.spawn", parentId=root, role="reader", brief={"mission": mission}
            )
            row = wait_for(daemon, answer["nodeId"], "released", within_s=CHILD_S)
            envelope = daemon.call("subsession.node", nodeId=answer["nodeId"])["envelope"]
            bad += tell(name, time.monotonic() - began, row, envelope)
    return 1 if bad else 0


def tell(name: str, took_s: float, row: dict[str, Any], envelope: dict[str, Any]) -> bool:
    """Print how one child ended; tells whether its record is not true."""
    say(f"{name}: {row['outcome']}, {row['reason']}, after {took_s:.1f} s")
    said = {"tokens": row["measuredTokens"], "bytes": envelope.get("producedBytes")}
    measured = (f"{word} {said[word] or 'not reported'}" for word in said)
    say(f"  {', '.join(measured)}")
    for word in ("output", "diagnostic"):
        if text := envelope.get(word):
            say(f"  {word}: {text[:300]!r}")
    # Why: none of them can report, as the model is never shown a tool.
    return bool(row["outcome"] != "failed" or row["author"] != "runtime")


def free_port() -> int:
    """Find a port that nobody listens on."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def say(words: str) -> None:
    """Print."""
    sys.stdout.write(f"{words}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    raise SystemExit(main())
