"""An MCP server on stdio that notes what it is asked: `note.py FILE`, a JSON line a call.

Stands in for the real one where an agent is under test and not the daemon.
"""

import json
import sys
from pathlib import Path
from typing import Any

TEXT = {"type": "string"}
TOOL = {
    "name": "report",
    "description": "Report to who started you.",
    "inputSchema": {
        "type": "object",
        "properties": {"stage": TEXT, "output": TEXT},
        "required": ["stage", "output"],
    },
    "annotations": {"readOnlyHint": True, "destructiveHint": False, "openWorldHint": False},
}


def answer(method: str, params: dict[str, Any], notes: Path) -> dict[str, Any] | None:
    """Give the result of a request; None for a method that is not known."""
    if method == "initialize":
        server = {"name": "note", "version": "0"}
        version = params["protocolVersion"]
        return {"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": server}
    if method == "tools/list":
        return {"tools": [TOOL]}
    if method == "tools/call":
        with notes.open("a") as file:
            file.write(json.dumps(params["arguments"]) + "\n")
        return {"content": [{"type": "text", "text": "noted"}]}
    return {} if method == "ping" else None


def main() -> None:
    """Answer line by line until the input ends."""
    for line in sys.stdin:
        asked = json.loads(line)
        if "id" not in asked:
            continue
        result = answer(asked["method"], asked.get("params") or {}, Path(sys.argv[1]))
        reply = {"jsonrpc": "2.0", "id": asked["id"], "result": result}
        if reply["result"] is None:
            reply["error"] = {"code": -32601, "message": "unknown"}
            del reply["result"]
        sys.stdout.write(json.dumps(reply) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
