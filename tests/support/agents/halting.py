"""An ACP agent that comes as far as one step of its start and no further.

    python halting.py STEP MARKER

At the step it leaves a program behind that nothing marks as its own, says in its folder how far it
came, and answers no more. STEP is `spawn` or the method that is not answered.
"""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

ANSWERS = {
    "initialize": {"protocolVersion": 1, "agentCapabilities": {}, "authMethods": []},
    "session/new": {"sessionId": "one"},
}


def halt(step: str, marker: str) -> None:
    """Stop here for good."""
    quiet = {
        "stdin": subprocess.DEVNULL,
        "stdout": subprocess.DEVNULL,
        "stderr": subprocess.DEVNULL,
    }
    subprocess.Popen(["sleep", marker], env={}, start_new_session=True, **quiet)  # type: ignore[call-overload]
    with Path("starts").open("a") as starts:
        starts.write(f"{os.environ['SUBSESSION_NODE']}\n")
    Path("came").write_text(step)
    while True:
        time.sleep(600)


def main(step: str, marker: str) -> None:
    """Answer until the step."""
    if step == "spawn":
        halt(step, marker)
    for line in sys.stdin:
        call = json.loads(line)
        if call.get("method") == step:
            halt(step, marker)
        answer = {"jsonrpc": "2.0", "id": call["id"], "result": ANSWERS[call["method"]]}
        sys.stdout.write(f"{json.dumps(answer)}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main(*sys.argv[1:])
