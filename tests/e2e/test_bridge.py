"""`subsession mcp` by real processes: which root an agent gets, what it hears and survives."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.support.daemon import Daemon
from tests.support.hire import CONFIG, hire, wait_file, wait_for
from tests.support.ide import HELLO, Ide, folder_of, roots_on

MIB = 1024 * 1024


@pytest.fixture(scope="module")
def daemon() -> Iterator[Daemon]:
    """Give a daemon for many editors."""
    with Daemon(config=CONFIG) as made:
        yield made


def test_an_editor_gets_one_root_and_its_tools(daemon: Daemon) -> None:
    """It is on the folder the editor works in, is the editor's process, and has children."""
    folder = folder_of(daemon, "one")
    with Ide(daemon.state, folder) as ide:
        hello = ide.greet()["result"]
        assert hello["protocolVersion"] == "2025-06-18"
        assert "subsession_inbox" in hello["instructions"]
        tools = [tool["name"] for tool in ide.wire.ask("tools/list")["result"]["tools"]]
        assert tools[0] == "subsession_spawn"
        assert "report" not in tools
        (root,) = roots_on(daemon, folder)
        shown = daemon.call("subsession.node", nodeId=root)
        assert shown["identity"]["pid"] == ide.process.pid
        child = hire(daemon, root, "true")
        assert child in ide.wire.text("subsession_tree")
        wait_for(daemon, child)
        assert "exit" in ide.wire.text("subsession_inbox", waitMs=20_000)


def test_a_folder_below_a_repository_is_the_repository(daemon: Daemon) -> None:
    """Without a word the root is on the repository; --workspace means the very folder."""
    top = folder_of(daemon, "monorepo")
    subprocess.run(["git", "init", "-q", str(top)], check=True)
    below = top / "packages" / "app"
    below.mkdir(parents=True)
    with Ide(daemon.state, below) as ide:
        ide.greet()
        assert len(roots_on(daemon, top)) == 1
    with Ide(daemon.state, top, options=("--workspace", str(below))) as ide:
        ide.greet()
        assert len(roots_on(daemon, below)) == 1


def test_a_folder_that_is_not_there_is_said_until_it_is(daemon: Daemon) -> None:
    """Every request is answered by what is wrong, and the session goes on once it is right."""
    missing = daemon.folder / "later"
    with Ide(daemon.state, daemon.folder, options=(f"--workspace={missing}",)) as ide:
        error = ide.wire.ask("initialize", **HELLO)["error"]
        assert error["data"]["fields"][0]["path"] == "workspace"
        refused = ide.wire.tool("subsession_tree")
        assert refused["isError"]
        missing.mkdir()
        until = time.monotonic() + 20
        while "result" not in ide.wire.ask("initialize", **HELLO):
            assert time.monotonic() < until  # a refusal is not asked for anew for a second
            time.sleep(0.05)


def test_ten_bridges_that_start_at_once_are_one_root(daemon: Daemon) -> None:
    """They are one editor's, so whoever comes first opens, and all others are the same."""
    folder = folder_of(daemon, "crowd")
    with Ide(daemon.state, folder, bridges=10) as ide:
        begun = [wire.begin("initialize", **HELLO) for wire in ide.wires]
        said = [wire.answer(call) for wire, call in zip(ide.wires, begun, strict=True)]
        assert all("result" in one for one in said)
        assert len(roots_on(daemon, folder)) == 1


def test_ten_editors_that_start_at_once_are_ten_roots_or_come_back_once(daemon: Daemon) -> None:
    """One finds the root that was left behind, and no two find the same."""
    folder = folder_of(daemon, "rush")
    with Ide(daemon.state, folder) as first:
        first.greet()
        (left,) = roots_on(daemon, folder)
    with ExitStack() as editors:
        ides = [editors.enter_context(Ide(daemon.state, folder)) for _ in range(10)]
        begun = [ide.wire.begin("initialize", **HELLO) for ide in ides]
        for ide, call in zip(ides, begun, strict=True):
            assert "result" in ide.wire.answer(call)
        roots = roots_on(daemon, folder)
        assert len(roots) == 10
        assert left in roots
        held = {daemon.call("subsession.node", nodeId=one)["identity"]["pid"] for one in roots}
        assert held == {ide.process.pid for ide in ides}


@pytest.mark.parametrize(
    "launcher",
    [
        ("sh", "-c", '"$@"; true', "sh"),
        ("timeout", "600"),
        ("sh", "-c", 'timeout 600 env "$@"; true', "sh"),
    ],
    ids=["shell", "timeout", "both"],
)
def test_what_starts_the_bridge_is_not_the_editor(
    daemon: Daemon, launcher: tuple[str, ...], request: pytest.FixtureRequest
) -> None:
    """Shells and launchers are passed; the root is the editor's process."""
    folder = folder_of(daemon, request.node.callspec.id)
    with Ide(daemon.state, folder, *launcher) as ide:
        ide.greet()
        (root,) = roots_on(daemon, folder)
        shown = daemon.call("subsession.node", nodeId=root)
        assert shown["identity"]["pid"] == ide.process.pid


def test_nothing_else_is_said_while_an_inbox_waits(daemon: Daemon) -> None:
    """Other calls are answered at once; a wait that is taken back ends, unanswered."""
    with Ide(daemon.state, folder_of(daemon, "waits")) as ide:
        ide.greet()
        waiting = ide.wire.begin_tool("subsession_inbox", waitMs=50_000)
        began = time.monotonic()
        assert ide.wire.text("subsession_tree")
        assert time.monotonic() - began < 10
        ide.wire.note("notifications/cancelled", requestId=waiting)
        assert ide.wire.ask("ping")["result"] == {}
        assert ide.wire.answers(waiting) == []


def test_junk_is_answered_and_survived(daemon: Daemon) -> None:
    """No handshake, lines that are none, batches, a line of sixteen MiB and one that is longer."""
    with Ide(daemon.state, folder_of(daemon, "junk")) as ide:
        for junk in (b"nonsense\n", b"42\n", b"\xff\n", b"[" * 9_000 + b"\n", b"\n\n"):
            ide.wire.send(junk)
        batch = [{"jsonrpc": "2.0", "id": n, "method": "ping"} for n in ("a", "b")]
        ide.wire.send(json.dumps(batch).encode() + b"\n")
        while not any(isinstance(one, list) for one in ide.wire.heard):
            ide.wire.hear(30)
        codes = [one["error"]["code"] for one in ide.wire.heard if isinstance(one, dict)]
        assert sorted(codes) == [-32700, -32700, -32700, -32600]


def test_a_line_of_sixteen_mib_goes_through_and_a_longer_one_is_refused(daemon: Daemon) -> None:
    """The limit is the daemon's, who says it; what comes behind is read."""
    with Ide(daemon.state, folder_of(daemon, "long")) as ide:
        request = b'{"jsonrpc":"2.0","id":"big","method":"ping","params":{"x":"%b"}}'
        room = 16 * MIB - len(request % b"")
        ide.wire.send(request % (b"x" * room) + b"\n")
        assert ide.wire.answer("big")["result"] == {}
        ide.wire.send(request % (b"x" * (room + 9)) + b"\n")
        assert ide.wire.answer(None)["error"]["data"]["limit"] == 16 * MIB
        assert ide.wire.ask("ping")["result"] == {}


def test_it_ends_with_its_input_and_by_a_signal(daemon: Daemon) -> None:
    """The answer under way comes first where it comes at once; TERM waits for nothing."""
    folder = folder_of(daemon, "ends")
    with Ide(daemon.state, folder, bridges=2) as ide:
        first, second = ide.wires
        call = first.begin("tools/list")
        first.close_input()
        assert "tools" in first.answer(call)["result"]
        assert first.is_over()
        second.ask("ping")
        (pid,) = ide.bridge_pids()
        os.kill(pid, signal.SIGTERM)
        assert second.is_over()


def test_a_childs_bridge_is_the_child(daemon: Daemon) -> None:
    """A project's configuration may name the bridge; in a child it opens no root."""
    root = daemon.open()
    asks = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/list"})
    line = (
        f"echo '{asks}' | {sys.executable} -m subsession.mcp --socket {daemon.socket} >tools.new"
        " && mv tools.new tools; sleep 600"
    )
    child = hire(daemon, root, "sh", "-c", line)
    answer = json.loads(wait_file(daemon.workspace / "tools"))
    tools = [tool["name"] for tool in answer["result"]["tools"]]
    assert tools == ["report", "subsession_checkpoint"]
    daemon.call("subsession.cancel", nodeId=child)


def test_what_runs_below_an_editor_is_told_in_whose_territory(daemon: Daemon) -> None:
    """Its terminal is refused what only the person does, and told which process and what helps."""
    folder = folder_of(daemon, "terminal")
    typed = f"{sys.executable} -m subsession --socket {daemon.socket} down"
    with Ide(daemon.state, folder, "sh", "-c", f'"$@"; {typed} >told 2>&1', "sh") as ide:
        ide.greet()
        pid = ide.process.pid
        ide.wire.close_input()
        assert ide.wire.is_over()
        told = wait_file(folder / "told")
    assert f"which is process {pid} (python" in told
    assert 'territory = "bridge"' in told


def test_a_bridge_alone_can_be_the_root() -> None:
    """Where the settings say so, what else runs below the editor is its person."""
    config = {**CONFIG, "subsessiond.toml": '[operator]\nterritory = "bridge"\n'}
    with Daemon(config=config) as daemon:
        typed = f"{sys.executable} -m subsession --json --socket {daemon.socket} tree"
        shell = ("sh", "-c", f'"$@"; {typed} >told 2>&1', "sh")
        with Ide(daemon.state, daemon.workspace, *shell) as ide:
            ide.greet()
            (root,) = roots_on(daemon, daemon.workspace)
            ide.wire.close_input()
            assert ide.wire.is_over()
            assert root in wait_file(daemon.workspace / "told")
        with Ide(daemon.state, daemon.workspace) as ide:
            ide.greet()
            assert roots_on(daemon, daemon.workspace) == [root]


def test_the_folder_it_works_on_lends_it_no_module() -> None:
    """However it was asked for: what lies there was written by who knows whom."""
    hello = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": HELLO})
    program = str(Path(sys.executable).with_name("subsession"))
    # Why a daemon of its own: this very process is the agent here, and the person no more.
    with Daemon(config=CONFIG) as daemon:
        folder = daemon.workspace
        for name in ("json", "subsession", "socket"):
            (folder / f"{name}.py").write_text("open('taken', 'w').close()\n")
        for words in (("mcp", "--socket"), ("--json", "mcp", "--socket")):
            done = subprocess.run(
                [program, *words, str(daemon.socket)],
                cwd=folder,
                input=f"{hello}\n",
                capture_output=True,
                text=True,
                timeout=30,
                check=True,
            )
            assert "result" in json.loads(done.stdout)
        assert not (folder / "taken").exists()
