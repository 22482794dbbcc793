"""Opens pipes to the daemon with tokens of whoever, and reports through each.

forger.py SOCKET OUT TOKEN...: `OUT` then holds what was answered on each pipe, as one JSON list.
"""

import json
import os
import socket
import sys
from typing import Any

REPORT = {"name": "report", "arguments": {"output": "forged", "stage": "finding"}}
CALL = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": REPORT}
HEAD = "POST /pipe HTTP/1.0\r\nContent-Length: 9007199254740991\r\n"
LONGEST = 65_536


def forge(path: str, token: str, line: bytes = json.dumps(CALL).encode()) -> Any:
    """Say one line on a pipe of its own; gives the answer, or the status of a pipe that is none."""
    with socket.socket(socket.AF_UNIX) as sock:
        sock.settimeout(20)
        sock.connect(path)
        sock.sendall(f"{HEAD}Authorization: Bearer {token}\r\n\r\n".encode() + line + b"\n")
        with sock.makefile("rb") as said:
            status = int(said.readline(LONGEST).split()[1])
            while said.readline(LONGEST).strip():
                continue
            return json.loads(said.readline(LONGEST) or b"null") if status == 200 else status


def main(path: str, out: str, *tokens: str) -> None:
    """Forge with each, and write down what came of it."""
    answers = [forge(path, token) for token in tokens]
    with open(out + ".new", "w", encoding="utf-8") as file:
        json.dump(answers, file)
    os.rename(out + ".new", out)


if __name__ == "__main__":
    main(*sys.argv[1:])
