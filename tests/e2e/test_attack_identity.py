"""A hostile child tries to be somebody else: the person, a sibling, one that is not born yet."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.support.daemon import Daemon
from tests.support.hire import CONFIG, hire, wait_file, wait_for

SPEAK = Path(__file__).parents[1] / "support" / "agents" / "speak.py"
STUBBORN = 'trap "" TERM; echo >deaf; while :; do sleep 0.2; done'
FORGED = '{"output":"forged","stage":"final","outcome":"completed"}'
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
    """One kind of container, room for many children."""
    main = (
        f'[processes]\ncontainer = "{kind}"\nterm_grace_ms = {grace_ms}\n'
        "[limits]\nspawn_burst = 50\nlive_per_parent = 50\n"
    )
    return {**CONFIG, "subsessiond.toml": main}


def words(daemon: Daemon, out: str, method: str) -> str:
    """Give the shell words that make one call without parameters."""
    return f"{sys.executable} -I -S {SPEAK} {daemon.socket} {out} {method} {{}}"


def said(daemon: Daemon, out: str) -> dict[str, Any]:
    """Wait for the answer to such a call."""
    answer: dict[str, Any] = json.loads(wait_file(daemon.workspace / out))
    return answer


@pytest.mark.parametrize("kind", KINDS)
def test_no_escape_makes_a_child_the_person(kind: str) -> None:
    """However a child's process is started, what is the person's alone is refused to it."""
    with Daemon(config=config(kind)) as daemon:
        root = daemon.open()
        for name, escape in ESCAPES.items():
            hire(
                daemon, root, "sh", "-c", escape.replace("{}", words(daemon, name, "daemon.stats"))
            )
        for name in ESCAPES:
            assert said(daemon, name)["code"] == 9002, name


@pytest.mark.parametrize("kind", KINDS)
def test_nobody_speaks_for_a_successor_that_still_waits(kind: str) -> None:
    """A node that is claimed and has no process yet cannot be spoken for by naming it."""
    with Daemon(config=config(kind, grace_ms=2_000)) as daemon:
        root = daemon.open()
        before = hire(daemon, root, "sh", "-c", STUBBORN, role="hand")
        wait_file(daemon.workspace / "deaf")
        daemon.call("subsession.cancel", nodeId=before, waitMs=0)
        heir = daemon.call("subsession.succeed", childId=before)["nodeId"]
        forge = f"{sys.executable} -I -S {SPEAK} {daemon.socket} out subsession.report"
        line = f"(setsid env -i SUBSESSION_NODE={heir} {forge} '{FORGED}' &); sleep 600"
        hire(daemon, root, "sh", "-c", line)
        said(daemon, "out")
        assert daemon.rows()[heir]["state"] == "claimed"
        wait_for(daemon, before, "released")
