import subprocess
import sys
from collections.abc import Sequence
from typing import Any

import pytest

from subsession import entry
from subsession.mcp.words import Words


def test_the_bridge_is_begun_without_the_other_verbs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its words are read by itself where it can, and by the parser of all verbs where not."""
    begun: list[Any] = []

    def run(words: Words) -> int:
        begun.append(words)
        return 0

    def every_verb(words: Sequence[str]) -> int:
        begun.append(list(words))
        return 7

    monkeypatch.setattr("subsession.mcp.run.run", run)
    monkeypatch.setattr("subsession.cli.main", every_verb)
    assert entry.main(["mcp", "--workspace", "/w"]) == 0
    assert entry.main(["mcp", "--help"]) == 7
    assert entry.main(["tree"]) == 7
    assert begun == [Words(workspace="/w"), ["mcp", "--help"], ["tree"]]


def test_the_bridge_loads_little() -> None:
    """An agent waits for it: no parser of command lines, no HTTP, no event loop."""
    program = (
        "import sys, subsession.entry, subsession.mcp.run, subsession.mcp.words\n"
        "print(*sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=20
    )
    loaded = set(done.stdout.split())
    assert not loaded & {
        "argparse",
        "asyncio",
        "dataclasses",
        "hashlib",
        "http.client",
        "random",
        "subprocess",
    }
    assert {name for name in loaded if name.startswith("subsession")} == {
        "subsession",
        "subsession.connect",
        "subsession.entry",
        "subsession.errors",
        "subsession.mcp",
        "subsession.mcp.asked",
        "subsession.mcp.bridge",
        "subsession.mcp.lines",
        "subsession.mcp.link",
        "subsession.mcp.reach",
        "subsession.mcp.run",
        "subsession.mcp.words",
        "subsession.workspace",
    }
