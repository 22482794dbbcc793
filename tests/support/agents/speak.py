"""Makes one call on the daemon's socket with nothing but what it is told, and writes the answer.

speak.py SOCKET OUT METHOD PARAMS [TOKEN]: `OUT` then holds the error object or the result, as JSON.
A word `mcp` in front is passed over: under the name `subsession` it then reads as the MCP bridge.
"""

import json
import os
import socket
import sys


def speak(path: str, out: str, method: str, params: str, token: str = "") -> None:
    """Call and write down."""
    body = f'{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{params}}}'.encode()
    head = (
        "POST /rpc HTTP/1.1\r\nHost: d\r\nContent-Type: application/json\r\nConnection: close\r\n"
    )
    head += f"Authorization: Bearer {token}\r\n" if token else ""
    with socket.socket(socket.AF_UNIX) as sock:
        sock.connect(path)
        sock.sendall(f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body)
        said = b"".join(iter(lambda: sock.recv(65_536), b""))
    answer = json.loads(said.partition(b"\r\n\r\n")[2])
    with open(out + ".new", "w", encoding="utf-8") as file:
        json.dump(answer.get("result") or answer["error"], file)
    os.rename(out + ".new", out)


if __name__ == "__main__":
    speak(*sys.argv[2 if sys.argv[1] == "mcp" else 1 :])
