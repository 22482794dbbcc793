"""ACP agents through a real daemon: parents that wait for their children, and a killed daemon."""

from typing import Any

from subsession.client import Client
from tests.support.acting import FINAL, act, config, heard, prompts
from tests.support.closing import check_closing, marked, within
from tests.support.daemon import Daemon
from tests.support.hire import wait_file, wait_for

ALL_TOOLS = ["read", "edit", "search", "delegate"]
LEAD = {"depth": 1, "tools": ALL_TOOLS}


def spawn(role: str, *steps: Any) -> dict[str, object]:
    """Have an agent start a child that plays these steps, by our tool."""
    mission = f"Do it. SCRIPT{[list(steps)]}".replace("'", '"')
    return {"tool": {"subsession_spawn": {"role": role, "mission": mission, "tokenCap": 20_000}}}


def phase(daemon: Daemon, node: str) -> Any:
    """Give what a node was last seen doing."""
    return daemon.call("subsession.node", nodeId=node)["row"].get("phase")


def test_a_parent_that_waits_is_prompted_with_its_mail() -> None:
    """Its turn is over, its silence counts for nothing, and its child's report begins the next."""
    kinds = config(lead=LEAD | {"retire_ms": 1_500}, actor={})
    with Daemon(config=kinds) as daemon:
        root = daemon.open()
        child = spawn("actor", {"wait_file": "go"}, FINAL)
        node = act(daemon, root, [child], [FINAL], role="lead", brief={"tokenCap": 100_000})
        wait_for(daemon, node, "running")
        within(lambda: phase(daemon, node) != "waiting", "it does not wait")
        # Longer than the silence that anybody may keep who does not wait.
        page = daemon.call("subsession.tree")
        daemon.call("subsession.tree", sinceSeq=page["seq"], waitMs=4_000)
        assert daemon.call("subsession.node", nodeId=node)["row"]["state"] == "running"
        (daemon.workspace / "go").touch()
        assert wait_for(daemon, node, "released")["outcome"] == "completed"
        mail = prompts(daemon, node)[1]
        assert "reported:" in mail
        assert "All done." in mail
        check_closing(daemon)


def test_a_child_of_a_killed_daemon_is_ended_and_leaves_nothing() -> None:
    """Agent and MCP server are gone, the node says why, and no scratch folder is left."""
    kinds = config(actor={"profile": 'files = { "key" = "secret" }'})
    with Daemon(config=kinds) as daemon:
        root = daemon.open()
        begun = {"shell": ["sh", "-c", "echo 1 >begun"]}
        node = act(daemon, root, [begun, {"hang": 1}])
        wait_file(daemon.workspace / "begun")
        assert (daemon.state / "scratch" / node / "key").read_text() == "secret"
        assert len(marked([node])) >= 2
        daemon.kill()
        daemon.start()
        row = wait_for(daemon, node, "released")
        assert (row["outcome"], row["reason"]) == ("failed", "daemon-restart")
        assert marked([node]) == {}
        assert list((daemon.state / "scratch").glob("*")) == []
        check_closing(daemon)


def test_an_agent_that_reports_by_the_shell_needs_no_server() -> None:
    """`channel = "cli"`: our command is on its PATH and knows whom it speaks for."""
    kinds = config(actor={"profile": 'channel = "cli"'})
    with Daemon(config=kinds) as daemon:
        said = ["subsession", "report", "--stage", "final", "--outcome", "completed", "By hand."]
        node = act(daemon, daemon.open(), [{"shell": said}])
        row = wait_for(daemon, node, "released")
        assert (row["outcome"], row["reason"]) == ("completed", "final-report")
        assert not [entry for entry in heard(daemon, node) if "listed" in entry]
        with Client(daemon.socket, token="") as client:
            shown = client.call("subsession.node", {"nodeId": node})
        assert shown["envelope"]["output"] == "By hand."
        check_closing(daemon)
