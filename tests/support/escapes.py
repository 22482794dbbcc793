"""Ways out of a child's processes, and calls made from wherever they lead."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from subsessiond.adapters.processes import available_containers
from tests.support.daemon import Daemon
from tests.support.hire import CONFIG, wait_file

SPEAK = Path(__file__).parent / "agents" / "speak.py"
KINDS = ("strongest", "pidns", "descent")
ESCAPES = {  # where a machine lacks a tool, the plain call takes its place
    "plain": "{}",
    "bare": "env -i {}",
    "detached": "(setsid env -i {} &); sleep 600",
    "terminal": "script -qc 'env -i {}' /dev/null </dev/null || {}",
    "detached-terminal": "(setsid env -i script -qc '{}' /dev/null </dev/null &); sleep 600",
    "namespace": "unshare -p -f env -i {} || {}",
    "user": "unshare -Ur -p -f env -i {} || {}",
    "nobody": "env -i SUBSESSION_NODE=00000000000000000000000000 {}",
    "detached-nobody": "(setsid env -i SUBSESSION_NODE=00000000000000000000000000 {} &); sleep 600",
}


def config(kind: str, grace_ms: int = 300) -> dict[str, str]:
    """One kind of container, room for many children; skips where there is no such kind."""
    if kind != "strongest" and kind not in available_containers():
        pytest.skip(f"this user cannot make a {kind} container on this machine")
    main = (
        f'[processes]\ncontainer = "{kind}"\nterm_grace_ms = {grace_ms}\n'
        "[limits]\nspawn_burst = 50\nlive_per_parent = 50\n"
    )
    return {**CONFIG, "subsessiond.toml": main}


def words(
    daemon: Daemon, out: str, method: str, *, token: str = "", speak: str = "", **params: Any
) -> str:
    """Give the shell words that make one call; no single quote is in them.

    Args:
        daemon: is called.
        out: the file that is told the answer.
        method: is called.
        token: goes with it.
        speak: what makes the call, where it is not `speak.py` by its own name.
        params: go with it.
    """
    given = json.dumps(json.dumps(params, separators=(",", ":")))
    program = f"{sys.executable} -I -S {speak or SPEAK}"
    return f"{program} {daemon.socket} {out} {method} {given} {token}".rstrip()


def said(daemon: Daemon, out: str) -> dict[str, Any]:
    """Wait for the answer to such a call."""
    answer: dict[str, Any] = json.loads(wait_file(daemon.workspace / out))
    return answer
