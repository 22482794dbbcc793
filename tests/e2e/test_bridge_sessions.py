"""What agents of every protocol version hear through `subsession mcp`, alone and in company."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.support.daemon import Daemon
from tests.support.hire import CONFIG, hire, wait_for
from tests.support.ide import HELLO, Ide, folder_of, roots_on

HANDSHAKES = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
STATELESS = "2026-07-28"
META = {"io.modelcontextprotocol/protocolVersion": STATELESS}


@pytest.fixture(scope="module")
def daemon() -> Iterator[Daemon]:
    """Give a daemon for many editors."""
    with Daemon(config=CONFIG) as made:
        yield made


@pytest.mark.parametrize("version", HANDSHAKES)
def test_each_version_with_a_handshake_is_spoken(daemon: Daemon, version: str) -> None:
    """It is the one that is agreed on, and tools are called in it."""
    with Ide(daemon.state, folder_of(daemon, version)) as ide:
        hello = ide.wire.ask("initialize", **{**HELLO, "protocolVersion": version})["result"]
        assert hello["protocolVersion"] == version
        assert not ide.wire.tool("subsession_tree")["isError"]


def test_the_version_without_a_handshake_is_spoken(daemon: Daemon) -> None:
    """Each request names it; discovery tells what there is, and results say what they are."""
    with Ide(daemon.state, folder_of(daemon, STATELESS)) as ide:
        found = ide.wire.ask("server/discover", _meta=META)["result"]
        assert set(found["supportedVersions"]) == {*HANDSHAKES, STATELESS}
        call: dict[str, Any] = {"name": "subsession_tree", "arguments": {}, "_meta": META}
        assert ide.wire.ask("tools/call", **call)["result"]["resultType"] == "complete"
        strange = {"io.modelcontextprotocol/protocolVersion": "2030-01-01"}
        error = ide.wire.ask("tools/list", _meta=strange)["error"]
        assert error["data"]["requested"] == "2030-01-01"


def test_a_call_that_is_lost_says_what_it_is_in_that_version() -> None:
    """The bridge answers then, and an agent of that version reads it."""
    with Daemon(config=CONFIG) as daemon, Ide(daemon.state, daemon.workspace) as ide:
        wait = {"name": "subsession_inbox", "arguments": {"waitMs": 50_000}, "_meta": META}
        call = ide.wire.begin("tools/call", **wait)
        ide.wire.tool("subsession_tree")
        daemon.kill()
        assert ide.wire.answer(call)["result"]["resultType"] == "complete"
        daemon.start()
        assert "supportedVersions" in ide.wire.ask("server/discover", _meta=META)["result"]


def test_an_agent_hears_of_a_report_by_whatever_it_calls_next(daemon: Daemon) -> None:
    """Once; then it reads its mailbox, and what it acknowledged is gone."""
    folder = folder_of(daemon, "told")
    with Ide(daemon.state, folder) as ide:
        ide.greet()
        (root,) = roots_on(daemon, folder)
        child = hire(daemon, root, "true")
        wait_for(daemon, child)
        told = ide.wire.tool("subsession_tree")["content"][1]["text"]
        assert told.endswith("call subsession_inbox.")
        assert len(ide.wire.tool("subsession_tree")["content"]) == 1
        assert child in ide.wire.text("subsession_inbox").splitlines()[0]
        assert ide.wire.text("subsession_inbox", acknowledge=True) == "No messages."
        assert daemon.call("subsession.node", nodeId=root)["unread"] == 0


def test_two_agents_on_one_folder_are_kept_from_each_others_files(daemon: Daemon) -> None:
    """Each has a root; the second one's child is refused what the first one's owns."""
    folder = folder_of(daemon, "shared")
    with Ide(daemon.state, folder) as first, Ide(daemon.state, folder) as second:
        first.greet()
        second.greet()
        own, _ = roots_on(daemon, folder)
        held = hire(daemon, own, "sleep", "600", role="hand", brief={"ownedGlobs": ["src/**"]})
        order = {"role": "script", "mission": "x", "ownedGlobs": ["src/a.py"]}
        for ide in (first, second):
            told = ide.wire.tool("subsession_spawn", **order)["structuredContent"]
            assert (told["code"], told["sibling"]) == ("SCOPE_OVERLAP", held)
        seen = [ide.wire.text("subsession_tree").count(held) for ide in (first, second)]
        assert sorted(seen) == [0, 1]
        daemon.call("subsession.cancel", nodeId=held)
        assert not first.wire.tool("subsession_spawn", checkOnly=True, **order)["isError"]
        assert not second.wire.tool("subsession_spawn", checkOnly=True, **order)["isError"]


def test_a_root_may_be_named_to_go_on_with(daemon: Daemon) -> None:
    """Another folder's, a closed one, one that is none: told plainly."""
    folder, elsewhere = folder_of(daemon, "named"), folder_of(daemon, "elsewhere")
    with Ide(daemon.state, folder) as ide:
        ide.greet()
        (root,) = roots_on(daemon, folder)
    with Ide(daemon.state, elsewhere, options=("--resume", root)) as ide:
        ide.greet()
        assert roots_on(daemon, elsewhere) == []
        assert daemon.call("subsession.node", nodeId=root)["identity"]["pid"] == ide.process.pid
    daemon.call("subsession.close", nodeId=root)
    for named, code in ((root, "NODE_NOT_LIVE"), ("0" * 26, "NOT_FOUND")):
        with Ide(daemon.state, folder, options=("--resume", named)) as ide:
            assert ide.greet()["error"]["data"]["code"] == code
