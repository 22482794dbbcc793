"""An agent that takes MCP servers by their address alone is a child like any other."""

import json
import socket
from pathlib import Path
from typing import Any, Final

from tests.support.acting import FINAL, act, config, heard
from tests.support.closing import check_closing, within
from tests.support.daemon import Daemon
from tests.support.hire import CONFIG, StandIn, wait_for
from tests.support.loopback import Wire, bearer, call, free_port, tool

PORT: Final = free_port()
LIST: Final = call("tools/list")

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


def port_of(number: int) -> dict[str, str]:
    """Give a configuration with a port that was chosen."""
    return CONFIG | {"subsessiond.toml": f"[tcp]\nport = {number}\n"}


def test_a_root_goes_on_over_a_restart_and_a_child_does_not() -> None:
    """The root's token is good again at the same port; its session is not, and begins anew."""
    with Daemon(config=port_of(PORT)) as daemon:
        opened = daemon.call("subsession.open", workspace=str(daemon.workspace))
        root, child = bearer(opened["token"]), StandIn.hire(daemon, opened["nodeId"])
        theirs = bearer(str(child.token))
        child.close()
        with Wire(PORT) as wire:
            hello = wire.ask(call("initialize", protocolVersion="2025-11-25"), root)
            session = {"Mcp-Session-Id": hello.headers["mcp-session-id"]}
            assert wire.ask(LIST, root | session).status == 200
            assert wire.ask(LIST, theirs).status == 200
        daemon.kill()
        daemon.start()
        with Wire(PORT) as wire:
            assert wire.ask(LIST, theirs).status == 401
            assert wire.ask(LIST, root | session).status == 404
            assert wire.ask(LIST, root).status == 200
            ended = wire.ask(tool("subsession_inbox"), root).json["result"]["content"][0]["text"]
            assert child.node_id in ended


def test_a_wait_is_answered_when_the_daemon_stops() -> None:
    """Whoever waits for mail is told that there is none, and is not left with a dead line."""
    with Daemon(config=port_of(PORT)) as daemon, Wire(PORT) as wire:
        opened = daemon.call("subsession.open", workspace=str(daemon.workspace))
        wait = tool("subsession_inbox", waitMs=50_000)
        told = f"Content-Length: {len(wait)}\r\nAuthorization: Bearer {opened['token']}\r\n"
        head = f"POST /mcp HTTP/1.1\r\nHost: localhost:{PORT}\r\nContent-Type: application/json\r\n"
        wire.send(f"{head}{told}\r\n".encode() + wait)
        within(lambda: daemon.call("daemon.stats")["inFlight"] != 1, "no call waits")
        assert daemon.stop() == 0
        assert wire.read().json["result"]["content"][0]["text"] == "No messages."


def test_a_port_of_another_program_is_not_taken() -> None:
    """The daemon says which, and is not there; nothing is left of its start."""
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        daemon = Daemon(config=port_of(port))
        try:
            process = daemon.launch()
            assert process.wait(20) != 0
            assert f"port {port} of loopback cannot be had" in daemon.said()
            assert not daemon.socket.exists()
        finally:
            daemon.discard()
