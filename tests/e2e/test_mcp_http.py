"""An agent that takes MCP servers by their address alone is a child like any other."""

import json
from pathlib import Path
from typing import Any

from tests.support.acting import FINAL, act, config, heard
from tests.support.closing import check_closing
from tests.support.daemon import Daemon
from tests.support.hire import wait_for

BY_HTTP: dict[str, Any] = {"profile": 'mcp_by = "http"', "http_alone": True}


def session_asked_for(daemon: Daemon, node: str) -> Any:
    """Give what a child's agent was asked to open its session with."""
    got = [entry["got"] for entry in heard(daemon, node) if isinstance(entry.get("got"), dict)]
    return next(frame["params"] for frame in got if frame.get("method") == "session/new")


def test_a_port_is_opened_for_the_first_that_needs_one_and_its_child_reports_by_it() -> None:
    """It lists our tools before its first turn, reports by them, and its final settles it."""
    with Daemon(config=config(actor=BY_HTTP, other={})) as daemon:
        root = daemon.open()
        other = act(daemon, root, [FINAL], role="other")
        wait_for(daemon, other, "released")
        assert "port" not in daemon.call("daemon.info")
        node = act(daemon, root, [FINAL])
        assert wait_for(daemon, node, "released")["outcome"] == "completed"
        port = daemon.call("daemon.info")["port"]
        (server,) = session_asked_for(daemon, node)["mcpServers"]
        assert server["url"] == f"http://127.0.0.1:{port}/mcp"
        assert {"listed": ["report", "subsession_checkpoint"]} in heard(daemon, node)
        (mine,) = [entry["said"] for entry in heard(daemon, node) if entry.get("tool") == "report"]
        assert "result" not in mine
        assert not mine["isError"]
        later = act(daemon, root, [FINAL])
        assert wait_for(daemon, later, "released")["outcome"] == "completed"
        assert daemon.call("daemon.info")["port"] == port
        check_closing(daemon)


def test_its_token_is_on_no_command_line_and_in_no_file_of_ours() -> None:
    """It goes by the agent's own input and environment, and no transcript shows it."""
    with Daemon(config=config(actor=BY_HTTP)) as daemon:
        root = daemon.open()
        node = act(daemon, root, [{"wait_file": "go"}, FINAL])
        (header,) = session_asked_for(daemon, node)["mcpServers"][0]["headers"]
        scheme, _, token = header["value"].partition(" ")
        assert (header["name"], scheme, len(token) > 20) == ("Authorization", "Bearer", True)
        for process in Path("/proc").glob("[0-9]*"):
            try:
                assert token not in (process / "cmdline").read_text(errors="replace")
            except OSError:
                continue  # it has gone
        (daemon.workspace / "go").touch()
        wait_for(daemon, node, "released")
        daemon.call("subsession.journal", nodeId=node)
        shown = daemon.call("subsession.transcript", nodeId=node)
        assert token not in json.dumps(shown)
        assert "session/new" in json.dumps(shown)
        check_closing(daemon)
        files = [path for path in daemon.state.rglob("*") if path.is_file()]
        assert len(files) > 3
        assert not [path.name for path in files if token.encode() in path.read_bytes()]


def test_an_agent_that_takes_no_address_does_not_start() -> None:
    """The parent is told why in words of ours, and nothing is left."""
    with Daemon(config=config(actor={"profile": 'mcp_by = "http"'})) as daemon:
        root = daemon.open()
        node = act(daemon, root, [FINAL], waitMs=0)
        row = wait_for(daemon, node, "released")
        assert (row["outcome"], row["reason"]) == ("failed", "start-failed")
        diagnostic = daemon.call("subsession.node", nodeId=node)["envelope"]["diagnostic"]
        assert "takes no MCP server over HTTP" in diagnostic
        check_closing(daemon)
