"""Plays an agent in a child: starts the MCP server it is given and says what a file tells it.

mcp_child.py OUT REQUESTS SERVER...: `REQUESTS` holds a JSON list of lines to write, `OUT` then what
was answered, as one JSON list. The server gets an empty environment, as some agents do it, and
with `--group` before it a process group of its own.
"""

import json
import os
import subprocess
import sys


def play(out: str, requests: str, server: list[str]) -> None:
    """Say every line, wait for the answer of each that has an id, and write them down."""
    grouped = server[0] == "--group"
    with open(requests, encoding="utf-8") as file:
        lines = json.load(file)
    answers = []
    with subprocess.Popen(
        server[grouped:],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={},
        process_group=0 if grouped else None,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        for line in lines:
            process.stdin.write(json.dumps(line).encode() + b"\n")
            process.stdin.flush()
            if "id" in line:
                answers.append(json.loads(process.stdout.readline() or b"null"))
        process.stdin.close()
    with open(out + ".new", "w", encoding="utf-8") as file:
        json.dump(answers, file)
    os.rename(out + ".new", out)


if __name__ == "__main__":
    play(sys.argv[1], sys.argv[2], sys.argv[3:])
