"""A hostile child tries to be somebody else: the person, a sibling, one that is not born yet."""

import subprocess
import sys
from collections.abc import Iterator
from typing import Any, NamedTuple

import pytest

from subsession.errors import Refused
from tests.support.daemon import Daemon
from tests.support.escapes import ESCAPES, KINDS, SPEAK, config, said, words
from tests.support.hire import CONFIG, StandIn, hire, wait_file, wait_for

STUBBORN = 'trap "" TERM; echo >deaf; while :; do sleep 0.2; done'
FORGED = '{"output":"forged","stage":"final","outcome":"completed"}'
ASKS: dict[str, Any] = {
    "subsession.node": lambda node: {"nodeId": node},
    "subsession.cancel": lambda node: {"nodeId": node},
    "subsession.steer": lambda node: {"nodeId": node, "text": "x"},
    "subsession.succeed": lambda node: {"childId": node},
    "subsession.journal": lambda node: {"nodeId": node},
    "subsession.inbox": lambda node: {"nodeId": node},
    "subsession.receipt": lambda node: {"messageId": f"{node}.1"},
    "subsession.report": lambda node: {"nodeId": node, "output": "x"},
    "subsession.spawn": lambda node: {
        "role": "script",
        "parentId": node,
        "brief": {"mission": "x"},
    },
    "subsession.close": lambda node: {"nodeId": node},
    "subsession.dismiss": lambda node: {"nodeId": node},
    "subsession.release": lambda node: {"nodeId": node},
    "subsession.handover": lambda node: {"nodeId": node, "action": "as-is"},
}
BOSS = """
[boss]
tier = "command"
depth_cap = 2
tools = ["read", "edit", "execute", "delegate"]
token_cap = 200_000
"""


class Foreign(NamedTuple):
    """A node that may have children, and nodes that are none of its business."""

    boss: StandIn
    nodes: dict[str, str]


@pytest.fixture(scope="module")
def foreign() -> Iterator[Foreign]:
    """Give a node beside a sibling with a child, living and settled, and another tree."""
    roles = {"roles.toml": CONFIG["roles.toml"] + BOSS}
    with Daemon(config={**config("strongest"), **roles}) as daemon:
        root, other = daemon.open(), daemon.open()
        with (
            StandIn.hire(daemon, root, role="boss") as boss,
            StandIn.hire(daemon, root, role="boss") as sibling,
        ):
            nodes = {
                "other root": other,
                "sibling": sibling.node_id,
                "sibling's child": hire(daemon, sibling.node_id, "sleep", "600"),
                "sibling's settled child": hire(daemon, sibling.node_id, "true"),
                "other tree's settled child": hire(daemon, other, "true"),
            }
            for name, node in nodes.items():
                if "settled" in name:
                    wait_for(daemon, node, "released")
            yield Foreign(boss, nodes)


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


@pytest.mark.parametrize("method", ASKS)
def test_what_is_not_ones_own_looks_like_nothing(method: str, foreign: Foreign) -> None:
    """A node that lives, one that has settled and one that never was are refused alike."""
    ask = ASKS[method]

    def refusal(node: str) -> Any:
        with pytest.raises(Refused) as fault:
            foreign.boss.call(method, ask(node))
        return fault.value.refusal

    nothing = refusal("0" * 26)
    assert {name: refusal(node) for name, node in foreign.nodes.items()} == dict.fromkeys(
        foreign.nodes, nothing
    )


@pytest.mark.parametrize("kind", KINDS)
def test_a_stolen_token_is_worth_nothing_to_a_sibling(kind: str) -> None:
    """A token narrows and never identifies, even where its thief has detached itself."""
    assert not steal(kind)


def steal(kind: str) -> bool:
    """Let a detached process of one child report with the token of another; tell whether it may."""
    with Daemon(config=config(kind)) as daemon:
        root = daemon.open()
        with StandIn.hire(daemon, root) as victim:
            token = (daemon.workspace / f".token-{victim.node_id}").read_text()
        call = f"{sys.executable} -I -S {SPEAK} {daemon.socket} out subsession.report"
        line = f"env -i SUBSESSION_NODE={victim.node_id} {call} '{FORGED}' {token}"
        hire(daemon, root, "sh", "-c", f"(setsid {line} &); sleep 600")
        return "messageId" in said(daemon, "out")


def test_what_another_program_of_the_person_runs_for_a_child_calls_as_her() -> None:
    """What README says of it: a child that gets a tmux, a cron or an editor to run something is
    not known in that; here a program that runs what it finds in a file stands for these.
    """
    with Daemon(config=CONFIG) as daemon:
        waits = "while [ ! -e order ]; do sleep 0.05; done; exec sh ./order"
        with subprocess.Popen(["sh", "-c", waits], cwd=daemon.workspace) as servant:
            order = words(daemon, "out", "daemon.stats")
            line = f"echo '{order}' >order.new; mv order.new order"
            hire(daemon, daemon.open(), "sh", "-c", line)
            assert "seq" in said(daemon, "out")
            servant.wait(20)
