"""What grants is tried by everybody who is not the person, from real processes."""

import contextlib
import subprocess
import sys
from collections.abc import Iterator
from typing import Any, Self

import pytest

from subsession.client import Client
from subsession.errors import Refused
from subsessiond.adapters.passphrase import Passphrase
from tests.support.daemon import Daemon
from tests.support.escapes import ESCAPES, KINDS, SPEAK, config, said, words
from tests.support.hire import CONFIG, StandIn, hire, wait_file, wait_for

STUCK = (
    "subsession report stuck --stage final --outcome blocked"
    " --blocker 'approval-required: fs write docs/x.md'"
)
AGENT = "import subprocess, sys\nfor line in sys.stdin: subprocess.call(['sh', '-c', line])"
"""An agent with a shell: it runs what it is told, line by line."""

DETACHED = ESCAPES["detached-terminal"].replace("; sleep 600", "")
SECRET = Passphrase.make("correct horse", b"sixteen bytes ok").line


def with_passphrase(main: str = "") -> dict[str, str]:
    """Give a configuration in which a passphrase is set."""
    return {**CONFIG, "subsessiond.toml": f"{main}\n[operator]\npassphrase = '{SECRET}'\n"}


def blocked(daemon: Daemon, root: str) -> str:
    """Let a child end in the queue; gives its id."""
    node = hire(daemon, root, "sh", "-c", STUCK)
    assert wait_for(daemon, node, "released")["outcome"] == "blocked"
    return node


def is_queued(daemon: Daemon, node: str) -> bool:
    """Tell whether a node still waits for the person, and nobody has gone on with it."""
    rows = daemon.call("subsession.blocked")["rows"]
    return [row["nodeId"] for row in rows] == [node] and "successor" not in daemon.rows()[node]


class Agent:
    """A person's own agent: its bridge has opened a root, and it has a shell."""

    def __init__(self, daemon: Daemon) -> None:
        self.daemon = daemon
        self.process = subprocess.Popen(
            [sys.executable, "-c", AGENT],
            cwd=daemon.workspace,
            stdin=subprocess.PIPE,
            text=True,
        )
        bridge = daemon.folder / "subsession"
        bridge.symlink_to(SPEAK)
        opens = {"workspace": str(daemon.workspace)}
        self.tell(words(daemon, "opened", "subsession.open", speak=f"{bridge} mcp", **opens))
        self.root = said(daemon, "opened")["nodeId"]

    def tell(self, line: str) -> None:
        """Let it run a line in its shell."""
        assert self.process.stdin is not None
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *fault: object) -> None:
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait(20)


@contextlib.contextmanager
def scene(configuration: dict[str, str]) -> Iterator[tuple[Daemon, Agent, str]]:
    """Give a daemon, an agent that has opened a root, and a child of it that is blocked."""
    with Daemon(config=configuration) as daemon, Agent(daemon) as agent:
        yield daemon, agent, blocked(daemon, agent.root)


@pytest.mark.scenario("S05")
@pytest.mark.parametrize("kind", KINDS)
def test_nothing_a_child_starts_can_grant(kind: str) -> None:
    """By its shell, its double fork, a terminal of its own or both: the queue stays as it is."""
    with Daemon(config=config(kind)) as daemon:
        root = daemon.open()
        node = blocked(daemon, root)
        asks = {"nodeId": node, "action": "as-is"}
        for name, escape in ESCAPES.items():
            line = words(daemon, name, "subsession.handover", **asks)
            # Why a file: the escapes quote in their own ways.
            (daemon.workspace / f"{name}.sh").write_text(line)
            hire(daemon, root, "sh", "-c", escape.replace("{}", f"sh ./{name}.sh"))
        for name in ESCAPES:
            assert said(daemon, name)["code"] == 9002, name
        assert is_queued(daemon, node)


@pytest.mark.scenario("S05")
def test_a_childs_own_command_line_grants_nothing() -> None:
    """`subsession handover` and `release`, typed in a child's shell, end as refused."""
    with Daemon(config=with_passphrase()) as daemon:
        root = daemon.open()
        node = blocked(daemon, root)
        line = (
            f"subsession handover {node} --as-is; one=$?;"
            f"echo 'correct horse' | subsession release {node} --passphrase-stdin;"
            "echo $one $? >out"
        )
        hire(daemon, root, "sh", "-c", line)
        assert wait_file(daemon.workspace / "out").split() == ["3", "3"]
        assert is_queued(daemon, node)


@pytest.mark.scenario("S05")
def test_no_token_grants() -> None:
    """A node's own token, a sibling's and one that was made up are worth nothing, at a terminal."""
    with Daemon(config=CONFIG) as daemon:
        root = daemon.open()
        node = blocked(daemon, root)
        asks = {"nodeId": node, "action": "as-is"}
        with StandIn.hire(daemon, root) as child, pytest.raises(Refused) as by_node:
            child.call("subsession.handover", asks)
        assert by_node.value.refusal.step == "caller"
        with Client(daemon.socket, token="f" * 43) as forger, pytest.raises(Refused) as forged:
            forger.call("subsession.handover", asks)
        assert forged.value.refusal.step == "identity"
        token = (daemon.workspace / f".token-{child.node_id}").read_text()
        for name, shown in (("own", token), ("forged", "f" * 43)):
            line = words(daemon, name, "subsession.handover", token=shown, **asks)
            (daemon.workspace / f"{name}.sh").write_text(line)
            order = ESCAPES["terminal"].replace("{}", f"sh ./{name}.sh")
            subprocess.run(["sh", "-c", order], cwd=daemon.workspace, check=True, timeout=20)
            assert said(daemon, name)["code"] == 9002, name
        assert is_queued(daemon, node)


@pytest.mark.scenario("S05")
def test_the_shell_of_the_agent_above_is_no_person() -> None:
    """What the process above the bridge starts is its root's, also at a terminal of its own."""
    with scene(CONFIG) as (daemon, agent, node):
        for name in ("plain", "bare", "terminal"):
            for method, params in (
                ("subsession.handover", {"action": "as-is"}),
                ("subsession.release", {}),
            ):
                out = f"{name}-{method[-7:]}"
                line = words(daemon, out, method, nodeId=node, **params)
                (daemon.workspace / f"{out}.sh").write_text(line)
                agent.tell(ESCAPES[name].replace("{}", f"sh ./{out}.sh"))
                answer = said(daemon, out)
                assert (answer["code"], answer["data"]["step"]) == (9002, "caller"), out
                assert agent.root in answer["message"]
        assert is_queued(daemon, node)


def tries_detached(daemon: Daemon, agent: Agent, node: str, **given: str) -> dict[str, Any]:
    """Let the agent detach itself, open a terminal of its own and hand over; gives the answer."""
    out = f"out-{len(given.get('passphrase', ''))}"
    asks = {"nodeId": node, "action": "as-is", **given}
    (daemon.workspace / f"{out}.sh").write_text(words(daemon, out, "subsession.handover", **asks))
    agent.tell(DETACHED.replace("{}", f"sh ./{out}.sh"))
    return said(daemon, out)


@pytest.mark.scenario("S05")
def test_a_detached_agent_does_not_know_the_passphrase() -> None:
    """With a passphrase set, an agent that detaches itself and opens a terminal is refused."""
    with scene(with_passphrase()) as (daemon, agent, node):
        for given in ({}, {"passphrase": "a guess"}):
            answer = tries_detached(daemon, agent, node, **given)
            assert (answer["code"], answer["data"]["step"]) == (9002, "passphrase")
            assert "a guess" not in str(answer)
        assert is_queued(daemon, node)
        assert "a guess" not in daemon.said()


def test_without_a_passphrase_a_detached_agent_passes_for_the_person() -> None:
    """What README says of it: one that detaches itself and opens a terminal looks like her."""
    with scene(CONFIG) as (daemon, agent, node):
        answer = tries_detached(daemon, agent, node)
        assert daemon.rows()[node]["successor"] == answer["nodeId"]


def test_headless_lifts_the_terminal_and_not_the_passphrase() -> None:
    """For CI a script needs no terminal; where a passphrase is set it has to give it."""
    both = with_passphrase()
    both["subsessiond.toml"] += "headless = true\n"
    with Daemon(config=both) as daemon:
        node = blocked(daemon, daemon.open())
        with pytest.raises(Refused) as refused:
            daemon.call("subsession.handover", nodeId=node, action="as-is")
        assert refused.value.refusal.step == "passphrase"
        params = {"nodeId": node, "action": "as-is", "passphrase": "correct horse"}
        answer = daemon.call("subsession.handover", **params)
        assert daemon.rows()[node]["successor"] == answer["nodeId"]
        wait_for(daemon, answer["nodeId"])
        for place in daemon.folder.rglob("*"):
            if place.is_file() and place.parent.name != "work":
                assert b"correct horse" not in place.read_bytes(), place
        assert "correct horse" not in b"".join(_journals(daemon)).decode()


def _journals(daemon: Daemon) -> Iterator[bytes]:
    found = [path for path in daemon.workspace.rglob("*") if path.is_file()]
    assert found
    return (path.read_bytes() for path in found)
