"""One function a refusal: what somebody outside does to be refused in this way."""

import json
import os
import resource
import subprocess
import sys
import threading
from contextlib import AbstractContextManager
from typing import Any, Final

from subsession.errors import Refusal
from tests.support.closing import within
from tests.support.daemon import Daemon
from tests.support.tables import AGENTS, ROLES
from tests.support.yard import STUBBORN, Yard, refusal_of

MAIN: Final = """
[limits]
live_per_parent = 3
live_total = "unlimited"
generations = 2

[processes]
term_grace_ms = 1_500
"""

CONFIG: Final = {"roles.toml": ROLES, "agents.toml": AGENTS, "subsessiond.toml": MAIN}

LISTENING: Final = json.dumps({"steps": [{"awaitPrompt": True}]})


def brief_invalid(yard: Yard) -> Refusal:
    """An empty mission, an unknown field, a cap that is no number."""
    brief = {"mission": "", "bogus": 1, "tokenCap": "many"}
    return refusal_of(yard.spawn, brief=brief)


def role_unknown(yard: Yard) -> Refusal:
    """A role that is not configured."""
    return refusal_of(yard.spawn, "nobody")


def role_unsafe(yard: Yard) -> Refusal:
    """A role whose tier no agent serves."""
    return refusal_of(yard.spawn, "worker")


def depth_exceeded(yard: Yard) -> Refusal:
    """More levels than the role has."""
    return refusal_of(yard.spawn, "boss", argv=["true"], brief={"depthAllowance": 3})


def tool_filter_refused(yard: Yard) -> Refusal:
    """A child that could edit, below a parent that cannot."""
    boss = yard.speaker("boss")
    return refusal_of(boss.call, "subsession.spawn", role="editor", brief={"mission": "edit"})


def scope_overlap(yard: Yard) -> Refusal:
    """Files that a sibling holds."""
    yard.hire("sleep", "600", role="hand", brief={"ownedGlobs": ["src/**"]})
    return refusal_of(yard.spawn, "hand", argv=["true"], brief={"ownedGlobs": ["src/app/*.py"]})


def budget_exceeded(yard: Yard) -> Refusal:
    """A cap that would fit if a sibling were not there."""
    yard.hire("sleep", "600", brief={"tokenCap": 3_000_000})
    return refusal_of(yard.spawn, argv=["true"], brief={"tokenCap": 3_000_000})


def budget_hopeless(yard: Yard) -> Refusal:
    """A cap that is larger than the root's."""
    return refusal_of(yard.spawn, argv=["true"], brief={"tokenCap": 9_000_000})


def concurrency_exceeded(yard: Yard) -> Refusal:
    """One child more than a parent may have."""
    for _ in range(3):
        yard.hire("sleep", "600")
    return refusal_of(yard.spawn, argv=["true"])


def start_failed(yard: Yard) -> Refusal:
    """A program that is not there."""
    return refusal_of(yard.spawn, argv=["/nowhere/program"], waitMs=20_000)


def parent_not_live(yard: Yard) -> Refusal:
    """A child below one that has settled."""
    return refusal_of(yard.spawn, parent=yard.settled(), argv=["true"])


def key_conflict(yard: Yard) -> Refusal:
    """One key for two briefs."""
    yard.spawn(argv=["true"], idempotencyKey="one")
    return refusal_of(
        yard.spawn, argv=["true"], idempotencyKey="one", brief={"mission": "something else"}
    )


def subtree_stopping(yard: Yard) -> Refusal:
    """A child below a root that is being closed."""
    yard.speaker(script=STUBBORN)
    closing = threading.Thread(target=yard.call, args=("subsession.close",), kwargs=closed(yard))
    closing.start()
    try:
        within(lambda: not yard.daemon.rows()[yard.root]["stopping"], "root is not stopping")
        return refusal_of(yard.spawn, argv=["true"])
    finally:
        closing.join()


def closed(yard: Yard) -> dict[str, Any]:
    """The parameters of close."""
    return {"nodeId": yard.root}


def scope_outside_parent(yard: Yard) -> Refusal:
    """Files that the parent does not own."""
    boss = yard.speaker("boss", brief={"ownedGlobs": ["src/**"]})
    brief = {"mission": "document", "ownedGlobs": ["docs/**"]}
    return refusal_of(boss.call, "subsession.spawn", role="script", brief=brief)


def report_too_large(yard: Yard) -> Refusal:
    """A report far over its contract, and malformed besides."""
    child = yard.speaker(brief={"reportContract": {"maxReportTokens": 50}})
    return refusal_of(child.report, "🙂" * 50, stage="final", outcome="no such outcome")


def report_invalid(yard: Yard) -> Refusal:
    """A final without an outcome."""
    return refusal_of(yard.speaker().report, "done", stage="final")


def report_contract(yard: Yard) -> Refusal:
    """A final without the sections its brief requires."""
    child = yard.speaker(brief={"reportContract": {"requiredSections": ["risks", "tests"]}})
    return refusal_of(child.final, sections={"tests": "all pass"})


def output_schema(yard: Yard) -> Refusal:
    """A structured part that its schema does not take."""
    schema = {"type": "object", "properties": {"count": {"type": "integer"}}}
    child = yard.speaker("strict", brief={"reportContract": {"outputSchema": schema}})
    return refusal_of(child.final, structured={"count": "three"})


def node_settled(yard: Yard) -> Refusal:
    """A second final that says something else."""
    child = yard.speaker(script=STUBBORN)
    child.final()
    return refusal_of(child.report, "on second thoughts", stage="final", outcome="failed")


def report_undeliverable(yard: Yard) -> Refusal:
    """A final of a child whose parent has just settled."""
    boss = yard.speaker("boss")
    child = yard.speaker(parent=boss.node, script=STUBBORN)
    boss.final("failed")
    return refusal_of(child.final)


def children_live(yard: Yard) -> Refusal:
    """A completed final while a child works."""
    boss = yard.speaker("boss")
    yard.speaker(parent=boss.node)
    return refusal_of(boss.final)


def message_too_large(yard: Yard) -> Refusal:
    """A word to a child that is a book."""
    child = yard.spawn("script", brief={"mission": LISTENING}, waitMs=20_000)["nodeId"]
    return refusal_of(yard.call, "subsession.steer", nodeId=child, text="ä" * 3_001)


def node_not_live(yard: Yard) -> Refusal:
    """A word to a child that has settled."""
    return refusal_of(yard.call, "subsession.steer", nodeId=yard.settled(), text="wait")


def checkpoint_too_large(yard: Yard) -> Refusal:
    """A checkpoint that holds the work itself."""
    state = {"phase": "p", "state": "x" * 262_144, "nextStep": "n"}
    return refusal_of(yard.speaker().call, "subsession.checkpoint", **state)


def checkpoint_invalid(yard: Yard) -> Refusal:
    """A checkpoint without a next step."""
    return refusal_of(yard.speaker().call, "subsession.checkpoint", phase="p", state="s")


def already_attached(yard: Yard) -> Refusal:
    """A second process for a child that has its own."""
    node = yard.spawn("joined")["nodeId"]
    with subprocess.Popen(
        [sys.executable, "-m", "subsession", "attach", node, "--", "cat"],
        env={**os.environ, "SUBSESSION_SOCKET": str(yard.socket)},
        stdin=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    ) as process:
        yard.wait(node, "running")
        refusal = refusal_of(yard.call, "subsession.attach", nodeId=node)
        process.communicate()
    yard.wait(node, "released")
    return refusal


def predecessor_live(yard: Yard) -> Refusal:
    """A successor for a child that works."""
    return refusal_of(yard.call, "subsession.succeed", childId=yard.hire("sleep", "600"))


def already_succeeded(yard: Yard) -> Refusal:
    """A second successor."""
    before = yard.settled()
    yard.call("subsession.succeed", childId=before)
    return refusal_of(yard.call, "subsession.succeed", childId=before)


def generations_exceeded(yard: Yard) -> Refusal:
    """A third generation where two are allowed."""
    heir = yard.call("subsession.succeed", childId=yard.settled())["nodeId"]
    yard.wait(heir, "released")
    return refusal_of(yard.call, "subsession.succeed", childId=heir)


def not_found(yard: Yard) -> Refusal:
    """Another parent's child."""
    other = yard.hire("sleep", "600")
    return refusal_of(yard.speaker("boss").call, "subsession.node", nodeId=other)


def not_allowed(yard: Yard) -> Refusal:
    """A child that asks for what is the operator's."""
    return refusal_of(yard.speaker().call, "subsession.blocked")


def busy(yard: Yard) -> Refusal:
    """A parent that tries a refused spawn for ever."""
    boss = yard.speaker("boss")
    order: Any = {"role": "nobody", "brief": {"mission": "again"}}
    for _ in range(200):
        refusal = refusal_of(boss.call, "subsession.spawn", **order)
        if refusal.code != "ROLE_UNKNOWN":
            return refusal
    raise AssertionError("never held back")


def store_unavailable(yard: Yard) -> Refusal:
    """A spawn while nothing can be written to the disk."""
    with no_writing(yard.daemon):
        return refusal_of(yard.spawn, argv=["true"])


class no_writing(AbstractContextManager[None]):  # noqa: N801  # reads as words
    """Let a daemon write nothing more, as a disk that is full would."""

    def __init__(self, daemon: Daemon) -> None:
        assert daemon.process is not None
        self._pid = daemon.process.pid

    def __enter__(self) -> None:
        hard = resource.prlimit(self._pid, resource.RLIMIT_FSIZE)[1]
        resource.prlimit(self._pid, resource.RLIMIT_FSIZE, (0, hard))

    def __exit__(self, *_: object) -> None:
        hard = resource.prlimit(self._pid, resource.RLIMIT_FSIZE)[1]
        resource.prlimit(self._pid, resource.RLIMIT_FSIZE, (hard, hard))
