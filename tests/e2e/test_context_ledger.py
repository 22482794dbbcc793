"""The context ledger of a real daemon, held to what the parent's own client received."""

import json
import subprocess
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from tests.support.billed import AGAIN, GENERAL, Given, bill
from tests.support.daemon import Daemon
from tests.support.hire import CONFIG, hire, wait_for
from tests.support.ide import Ide, folder_of, roots_on

LEAST_BYTES = 200_000
SHARE_MOST = 0.01
LOUD = ("sh", "-c", "seq 80000; echo oh >&2")
LOUD_BYTES = sum(len(f"{number}\n") for number in range(1, 80_001)) + len("oh\n")


class Client:
    """An editor's own hand-written client, which keeps what it was given."""

    def __init__(self, ide: Ide) -> None:
        self._ide = ide
        self.given: list[Given] = []

    def tool(self, name: str, /, **arguments: Any) -> str:
        """Call a tool and give its text, a refusal's too."""
        result = self._ide.wire.tool(f"subsession_{name}", **arguments)
        (part,), data = result["content"], result.get("structuredContent")
        dense = json.dumps(data, separators=(",", ":"), ensure_ascii=False) if data else ""
        self.given.append(Given(part["text"], arguments.get("nodeId", ""), dense))
        return str(part["text"])


def stats(daemon: Daemon, *words: str) -> Any:
    """Give what `subsession stats --json` prints."""
    return json.loads(say(daemon, "stats", "--json", *words))


def say(daemon: Daemon, *words: str) -> str:
    """Type a command as the operator, and give what it printed."""
    command = [sys.executable, "-m", "subsession", "--state-dir", str(daemon.state), *words]
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=60).stdout


def check_bill(found: Any, given: Iterable[Given]) -> None:
    """Hold every figure of what was shown to the texts that were received."""
    rows = {row["nodeId"]: row for row in found["rows"]}
    expected = bill(given, rows)
    (whole,) = found["roots"]
    assert {name: row["shownBytes"] for name, row in rows.items()} == {
        name: expected[name] for name in rows
    }
    assert {name: row["againBytes"] for name, row in rows.items()} == {
        name: expected[AGAIN + name] for name in rows
    }
    assert whole["generalBytes"] == expected[GENERAL]
    assert whole["shownBytes"] == sum(expected[name] for name in (*rows, GENERAL))


class Scene(NamedTuple):
    """An editor whose two children have printed a lot, and which has looked at them."""

    daemon: Daemon
    ide: Ide
    client: Client
    root: str


@contextmanager
def scene() -> Iterator[Scene]:
    """Set it up: each kind of answer has been given, some of them twice."""
    with Daemon(config=CONFIG) as daemon:
        folder = folder_of(daemon, "site")
        with Ide(daemon.state, folder) as ide:
            ide.greet()
            (root,) = roots_on(daemon, folder)
            children = [hire(daemon, root, *LOUD) for _ in range(2)]
            for child in children:
                wait_for(daemon, child, "released")
            client = Client(ide)
            mail = [client.tool("inbox", acknowledge=False) for _ in range(2)]
            assert all(child in mail[1] for child in children)
            for name, arguments in (
                ("tree", {}),
                ("node", {"nodeId": children[0]}),
                ("steer", {"nodeId": children[1], "text": "go"}),
                ("cancel", {"nodeId": children[1]}),
                ("spawn", {"role": "nobody", "mission": "x"}),
                ("spawn", {"role": "check", "mission": "x", "checkOnly": True}),
            ):
                client.tool(name, **arguments)
            yield Scene(daemon, ide, client, root)


def test_a_root_is_billed_what_its_client_received() -> None:
    """By a bridge, to the byte, also once it is closed; under a hundredth of it all."""
    with scene() as (daemon, ide, client, root):
        listed = ide.wire.ask("tools/list")["result"]["tools"]
        found = stats(daemon, root)
        check_bill(found, client.given)
        assert {row["transcriptBytes"] for row in found["rows"]} == {LOUD_BYTES}
        (whole,) = found["roots"]
        assert whole["transcriptBytes"] == 2 * LOUD_BYTES >= 2 * LEAST_BYTES
        assert whole["ratio"] == whole["shownBytes"] / whole["transcriptBytes"] <= SHARE_MOST
        assert whole["definitionBytes"] > len(json.dumps(listed, separators=(",", ":")))
        assert max(map(len, say(daemon, "stats", root).splitlines())) <= 80
        daemon.call("subsession.close", nodeId=root)
        closed = stats(daemon, root)
        assert closed["rows"] == found["rows"]
        assert closed["roots"] == [{**whole, "state": "released"}]


def test_figures_outlive_the_daemon() -> None:
    """A stop loses nothing; a kill at most what was shown in its last second, and that is said."""
    with scene() as (daemon, _, client, root):
        found = stats(daemon, root)
        assert "mayLack" not in found["roots"][0]
        assert daemon.stop() == 0
        daemon.start()
        assert stats(daemon, root) == found
        client.tool("inbox")
        now = stats(daemon, root)
        check_bill(now, client.given)
        daemon.kill()
        daemon.start()
        after = stats(daemon, root)["roots"][0]
        least, most = (one["roots"][0]["shownBytes"] for one in (found, now))
        assert least <= after["shownBytes"] <= most
        assert after["mayLack"] is True
        assert "a daemon was killed" in say(daemon, "stats", root).splitlines()[-2]


def test_what_nobody_counted_is_not_known() -> None:
    """A child whose words do not pass the daemon has no session in it, and no share."""
    with Daemon(config=CONFIG) as daemon:
        root = daemon.open()
        brief = {"mission": json.dumps({"steps": []})}
        child = daemon.call("subsession.spawn", parentId=root, role="script", brief=brief)["nodeId"]
        wait_for(daemon, child)
        found = stats(daemon)
        (row,), (whole,) = found["rows"], found["roots"]
        assert (row["transcriptBytes"], row["shownBytes"], row["ratio"]) == (None, 0, None)
        assert (whole["transcriptBytes"], whole["counted"], whole["ratio"]) == (None, 0, None)
        assert "unknown" in say(daemon, "stats")
