"""Agents that somebody else runs, attached by the command line to a real daemon."""

import json
import subprocess
import sys
from collections.abc import Callable
from typing import Any, Final

import pytest

from subsession.errors import Refused
from tests.support.attaching import SUBSESSION, Terminal, a_terminal, out_of
from tests.support.closing import within
from tests.support.daemon import Daemon
from tests.support.hire import StandIn, hire, wait_file, wait_for
from tests.support.mcp_agent import Shimmed
from tests.support.tables import AGENTS

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="pidfds are Linux's")

REPORT: Final = "subsession report --stage final --outcome completed"
MAY_STOP: Final = AGENTS.replace('runner = "external"', 'runner = "external"\nmay_stop = true')
BY_MCP: Final = AGENTS.replace('channel = "cli"\n', "")


def test_a_command_becomes_the_child_and_reports_by_its_shell() -> None:
    """It reads its brief, works in the workspace, and its final is the child's own words."""
    with a_terminal() as here:
        node = here.spawn()
        process = here.attach(node, f"cat; pwd; {REPORT} 'all seen'", "--stdin")
        out, err = out_of(process)
        assert process.returncode == 0, err
        assert out.startswith("Look around.\n")
        assert "Files you own: notes/**" in out
        assert str(here.daemon.workspace) in out
        row = wait_for(here.daemon, node, "released")
        assert (row["outcome"], row["author"], row["reports"]) == ("completed", "child", 1)
        assert here.daemon.call("subsession.node", nodeId=node)["envelope"]["output"] == "all seen"


def test_its_identity_is_the_process_and_not_its_word() -> None:
    """Without mark and token, and with those of nobody, it is the child and nobody else."""
    with a_terminal() as here:
        node, other = here.spawn(), here.spawn("looker", brief={"ownedGlobs": []})
        tree = f"env -i PATH=$PATH SUBSESSION_SOCKET=$SUBSESSION_SOCKET {' '.join(SUBSESSION)}"
        script = f"{tree} --json blocked >seen; {tree} --json cancel {other} >>seen; cat"
        process = here.running(node, script)
        within(lambda: {} if "9001" in seen(here) else {"seen": seen(here)}, "answers")
        assert '"code":"NOT_ALLOWED"' in seen(here), seen(here)
        assert here.row(other)["state"] == "claimed"
        out_of(process)


def seen(here: Terminal) -> str:
    """Read what a child wrote down."""
    path = here.daemon.workspace / "seen"
    return path.read_text() if path.exists() else ""


def test_its_tools_are_served_through_a_shim() -> None:
    """An agent's MCP server that descends from it speaks as the child."""
    with a_terminal(BY_MCP) as here:
        node = here.spawn()
        socket = here.daemon.socket
        words = (*SUBSESSION, "attach", node, "--socket", str(socket), "--")
        with Shimmed(socket, *words) as agent:
            wait_for(here.daemon, node, "running")
            agent.ask("initialize", protocolVersion="2025-06-18", capabilities={}, clientInfo={})
            told = here.daemon.call("subsession.steer", nodeId=node, text="look twice")
            assert told["messageId"]
            said = agent.tool("report", output="seen", stage="progress")
            assert "look twice" in json.dumps(said)
            final = agent.tool("report", output="all", stage="final", outcome="completed")
            assert not final["isError"]
        row = wait_for(here.daemon, node, "released")
        assert (row["outcome"], row["author"]) == ("completed", "child")


@pytest.mark.parametrize(
    ("script", "reason"), [("exit 3", "exit-status"), ("kill -9 $$", "killed-by-signal")]
)
def test_an_end_without_a_final_is_a_failure(script: str, reason: str) -> None:
    """How it ended is told where the kernel tells it, and else that nobody does."""
    with a_terminal() as here:
        node = here.spawn()
        out_of(here.attach(node, script))
        row = wait_for(here.daemon, node, "released")
        assert (row["outcome"], row["author"]) == ("failed", "runtime")
        assert row["reason"] in (reason, "status-lost")


def test_a_cancelled_child_is_left_alone_and_its_files_are_held() -> None:
    """Nobody signals a person's own agent; its files are free when it ends, without a word."""
    with a_terminal() as here:
        node = here.spawn()
        process = here.running(node, "trap 'echo signalled' TERM INT HUP; cat; sleep 0")
        (stopped,) = here.daemon.call("subsession.cancel", nodeId=node)["nodes"]
        assert str(process.pid) in stopped["leftovers"][0]
        assert process.poll() is None
        (queued,) = here.daemon.call("subsession.blocked")["rows"]
        assert queued["category"] == "leftovers"
        with pytest.raises(Refused, match="another node holds files"):
            here.spawn()
        out, _ = out_of(process)
        assert "signalled" not in out
        row = wait_for(here.daemon, node, "released")
        assert (row["outcome"], row.get("leftovers", [])) == ("cancelled", [])
        assert here.spawn()


def test_a_cancelled_child_is_asked_where_its_profile_says_so() -> None:
    """TERM is sent, and nothing is killed."""
    with a_terminal(MAY_STOP) as here:
        node = here.spawn()
        script = "trap 'echo signalled; exit 0' TERM; echo >ready; while :; do sleep 0.05; done"
        process = here.running(node, script)
        wait_file(here.daemon.workspace / "ready")
        (stopped,) = here.daemon.call("subsession.cancel", nodeId=node)["nodes"]
        assert (stopped["state"], stopped["leftovers"], stopped["forced"]) == (
            "released",
            [],
            False,
        )
        assert "signalled" in out_of(process)[0]


@pytest.mark.parametrize("end", [Daemon.kill, Daemon.stop], ids=["killed", "stopped"])
def test_a_restart_settles_it_and_leaves_its_process(end: Callable[[Daemon], Any]) -> None:
    """The child has ended with the daemon; its agent lives, is still known, and is no person."""
    with a_terminal() as here:
        node = here.spawn()
        process = here.running(node, f"cat; {REPORT} 'too late' 2>&1")
        end(here.daemon)
        here.daemon.start()
        row = here.row(node)
        assert row["reason"] in ("daemon-restart", "daemon-stopped")
        assert str(process.pid) in row["leftovers"][0]
        assert process.poll() is None
        out, _ = out_of(process)
        assert "has settled" in out
        row = wait_for(here.daemon, node, "released")
        assert row["outcome"] == "failed"


def test_one_that_waits_does_not_survive_a_restart() -> None:
    """Nothing ran, and it is said that it never did."""
    with a_terminal() as here:
        node = here.spawn()
        here.daemon.kill()
        here.daemon.start()
        assert wait_for(here.daemon, node, "released")["reason"] == "start-interrupted"


def test_of_two_that_attach_at_once_one_does() -> None:
    """The other is refused before its command begins."""
    with a_terminal() as here:
        node = here.spawn()
        both = [here.attach(node, "echo begun; cat") for _ in range(2)]
        # Why first: the one that is attached ends when its input does, and then nobody is.
        within(lambda: all(process.poll() is None for process in both), "both are under way")
        ended = [(out_of(process), process.returncode) for process in both]
        begun = [code for (out, _), code in ended if "begun" in out]
        refused = [err for (_, err), code in ended if code == 3]
        assert len(begun) == len(refused) == 1
        assert "process" in refused[0]
        wait_for(here.daemon, node, "released")


def test_no_childs_shell_becomes_another_child() -> None:
    """Neither a sibling's process nor the parent's own attaches, whatever it names."""
    with a_terminal() as here:
        node = here.spawn()
        line = f"{' '.join(SUBSESSION)} attach {node} -- touch begun >out 2>&1; echo $? >code"
        hire(here.daemon, here.root, "sh", "-c", line)
        assert wait_file(here.daemon.workspace / "code").strip() == "3"
        with StandIn.hire(here.daemon, here.root, role="boss") as boss:
            below = boss.call("subsession.spawn", {"role": "looker", "brief": {"mission": "x"}})
            with pytest.raises(Refused, match="operator"):
                boss.call("subsession.attach", {"nodeId": below["nodeId"]})
            with pytest.raises(Refused, match="no such node"):
                boss.call("subsession.attach", {"nodeId": node})
        assert here.row(node)["state"] == "claimed"
        assert not (here.daemon.workspace / "begun").exists()


AGENT: Final = """
import subprocess, sys
for line in sys.stdin:
    print(subprocess.run(["sh", "-c", line], capture_output=True, text=True).stdout, flush=True)
"""


def test_an_agent_that_runs_already_attaches_itself_by_its_shell() -> None:
    """The agent becomes the child, not its shell, and reads what it is to do."""
    with a_terminal() as here:
        node = here.spawn()
        agent = subprocess.Popen(
            [sys.executable, "-c", AGENT],
            env=here.environ,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        with agent:
            assert agent.stdin is not None
            agent.stdin.write(f"{' '.join(SUBSESSION)} attach {node} --above; true\n")
            agent.stdin.flush()
            wait_for(here.daemon, node, "running")
            identity = here.daemon.call("subsession.node", nodeId=node)["identity"]
            assert identity["pid"] == agent.pid
            agent.stdin.write(f"SUBSESSION_NODE={node} {REPORT} done; true\n")
            out, _ = agent.communicate(timeout=20)
        assert "Look around." in out
        row = wait_for(here.daemon, node, "released")
        assert (row["outcome"], row["author"]) == ("completed", "child")


def test_a_person_sees_what_waits_and_how_to_go_on() -> None:
    """Tree, queue and node say it, and nothing is attached by looking."""
    with a_terminal() as here:
        node = here.spawn()
        for words in (("tree",), ("blocked",), ("show", node), ("attach", node)):
            out, err = out_of(here.type(*words))
            assert "attach" in out, (words, out, err)
        assert f"subsession attach {node[-6:]} -- CMD" in out_of(here.type("blocked"))[0]
        assert here.row(node)["awaitsAttach"]
        out, err = out_of(here.type("attach", node, "--", "no-such-program"))
        assert "no-such-program" in err
        assert here.row(node)["state"] == "claimed"
