"""`subsession hook stop`: what an agent runs before it ends its turn.

The daemon says whether there is unread mail, and what a model is told of it; here it is put into
the form of the agent that asks. The agent is known by what it says to its hook, because some run
the hooks of others. Whatever goes wrong, nothing is said and the status is 0: an agent must not
stumble over us. No daemon is started either, for where none runs there is no mail.
"""

import json
import os
import select
import sys
import time
from collections.abc import Mapping, Sequence
from typing import Any, BinaryIO

from subsession.connect import Place, find_place
from subsession.errors import Unreachable
from subsession.mcp.link import Link
from subsession.mcp.words import read_words

Json = dict[str, Any]

LIMIT_S = 2.0
"""How long the daemon may take; it takes a millisecond, and agents wait for us."""
INPUT_S = 2.0
"""How long an agent may take to say what happens; it is said before we are started."""
INPUT_BYTES = 16 * 1024 * 1024

ENDS = ("Stop", "AfterAgent", "stop")
"""The end of a turn, in the words of those who have a hook for it."""


def run_words(given: Sequence[str]) -> int:
    """Answer the agent that started this process; gives the exit status, which is 0.

    Args:
        given: options that lead to the daemon.
    """
    words = read_words(given)
    if words is not None:
        place = find_place(os.environ, words.socket, words.state_dir)
        answer(place, os.environ)
    return 0


def answer(place: Place, environ: Mapping[str, str]) -> None:
    """Say to the agent that its turn should not end yet, if so it is.

    Args:
        place: where the daemon is.
        environ: tells whether this process belongs to a child, whom the daemon prompts itself.
    """
    event = read_event(sys.stdin.buffer)
    if event is None or not is_end(event):
        return
    if any(environ.get(name) for name in ("SUBSESSION_TOKEN", "SUBSESSION_NODE")):
        return
    text = ask(place, again=is_again(event))
    if text:
        sys.stdout.write(json.dumps(form(event, text)) + "\n")
        sys.stdout.flush()


def read_event(stream: BinaryIO) -> Json | None:
    """Read what the agent says of what happens; none where it says nothing that can be read.

    It is read to its end, or to where it is complete: not every agent closes our input.
    """
    data, until = b"", time.monotonic() + INPUT_S
    while len(data) < INPUT_BYTES:
        ready, _, _ = select.select([stream], [], [], max(0.0, until - time.monotonic()))
        chunk = os.read(stream.fileno(), 1 << 16) if ready else b""
        data += chunk
        if not chunk or chunk.rstrip()[-1:] == b"}":
            found = _event(data)
            if found is not None or not chunk:
                return found
    return None


def _event(data: bytes) -> Json | None:
    try:
        found = json.loads(data.decode("utf-8-sig", "replace"))
    except ValueError:
        return None
    return found if isinstance(found, dict) else None


def is_end(event: Json) -> bool:
    """Tell whether a turn ends by itself: one that the person has stopped stays so."""
    name = event.get("hook_event_name") or event.get("hookEventName") or ENDS[0]
    return name in ENDS and event.get("status", "completed") == "completed"


def is_again(event: Json) -> bool:
    """Tell whether the turn goes on because of an earlier answer of ours, or another hook's."""
    return bool(event.get("stop_hook_active") or event.get("loop_count"))


def ask(place: Place, *, again: bool) -> str:
    """Ask the daemon what the agent is to be told; nothing where there is no daemon."""
    for path in place.sockets:
        try:
            link = Link(path, LIMIT_S)
        except Unreachable:
            continue
        try:
            found = link.call("subsession.unread", {"again": again}).get("result", {})
        except Unreachable:
            return ""
        finally:
            link.close()
        return str(found.get("text", ""))
    return ""


def form(event: Json, text: str) -> Json:
    """Put a text into the form in which an agent takes it from its hook."""
    name = event.get("hook_event_name")
    if name == "AfterAgent":  # Gemini CLI
        return {"decision": "deny", "reason": text}
    if name == "stop" or "loop_count" in event:  # Cursor
        return {"followup_message": text}
    blocked = {"decision": "block", "reason": text}
    if "hookEventName" in event or "timestamp" in event:  # VS Code
        return {"hookSpecificOutput": {"hookEventName": "Stop", **blocked}}
    return blocked  # Claude Code, Codex
