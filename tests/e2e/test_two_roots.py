"""Two agents at work on one repository: their files meet, and nothing else of them does."""

import subprocess
from typing import Any

from tests.support.bridged import Bridged
from tests.support.closing import check_closing, marked, within
from tests.support.daemon import Daemon
from tests.support.hire import wait_for
from tests.support.tables import tables
from tests.support.yard import Yard, refusal_of


def spawn(agent: Bridged, *globs: str, **params: Any) -> dict[str, Any]:
    """Hire a child that owns files and waits; gives the whole answer."""
    brief = {"mission": '{"steps": [{"awaitPrompt": true}]}', "ownedGlobs": [*globs]}
    said: dict[str, Any] = agent.say("subsession.spawn", role="editor", brief=brief, **params)
    return said


def hired(said: dict[str, Any]) -> str:
    """Give the child of an answer."""
    assert "result" in said, said
    return str(said["result"]["nodeId"])


def test_two_roots_on_one_repository_meet_at_their_files_alone() -> None:
    """Each is refused the other's files by name, sees, stops and is told its own children only, and
    goes on when the other is closed; then the files are free.
    """
    with Daemon(config=tables()) as daemon:
        subprocess.run(["git", "init", "-q", str(daemon.workspace)], check=True)
        with Bridged(daemon) as one, Bridged(daemon) as two:
            roots = [agent.open(daemon)["nodeId"] for agent in (one, two)]
            assert len(set(roots)) == 2
            mine, theirs = hired(spawn(one, "src/**")), hired(spawn(two, "docs/**"))
            for agent, own, held, files in (
                (one, mine, theirs, "docs/a.md"),
                (two, theirs, mine, "src/a.py"),
            ):
                refused = spawn(agent, files)["error"]["data"]
                assert (refused["code"], refused["sibling"]) == ("SCOPE_OVERLAP", held)
                rows = agent.call("subsession.tree")["rows"]
                assert [row["nodeId"] for row in rows] == [own]
                for method in ("subsession.node", "subsession.cancel", "subsession.steer"):
                    more: dict[str, Any] = {"text": "x"} if method.endswith("steer") else {}
                    assert agent.refusal(method, nodeId=held, **more)["code"] == "NOT_FOUND"
            both = hired(spawn(one, "docs/**", allowOverlap=True))
            assert daemon.rows()[both]["overlaps"] == [theirs]
            daemon.call("subsession.close", nodeId=roots[0])
            for node in (mine, both):
                assert wait_for(daemon, node, "released")["reason"] == "root-closed"
            assert daemon.rows()[theirs]["state"] == "running"
            assert two.call("subsession.inbox")["messages"] == []
            freed = hired(spawn(two, "src/**"))
            assert daemon.rows()[freed]["rootId"] == roots[1]
            rows = daemon.rows()
            daemon.call("subsession.close", nodeId=roots[1])
            within(lambda: marked(rows), "processes of nodes")


def test_each_root_is_succeeded_and_asked_for_apart() -> None:
    """What is blocked below one waits in the one queue of the person, and goes on below its own."""
    with Daemon(config=tables()) as daemon:
        yards = [Yard(daemon, title=title) for title in ("one", "two")]
        nodes = []
        for yard in yards:
            child = yard.speaker("hand", brief={"ownedGlobs": [f"{yard.root}/**"]})
            child.final("blocked", blockers=["question: which?"])
            nodes.append(child.node)
        for node in nodes:
            wait_for(daemon, node, "released")
        rows = daemon.call("subsession.blocked")["rows"]
        assert [(row["nodeId"], row["parentId"]) for row in rows] == [
            (node, yard.root) for node, yard in zip(nodes, yards, strict=True)
        ]
        heir = daemon.call("subsession.succeed", childId=nodes[1])["nodeId"]
        assert daemon.rows()[heir]["parentId"] == yards[1].root
        assert [row["nodeId"] for row in daemon.call("subsession.blocked")["rows"]] == nodes[:1]
        again = refusal_of(daemon.call, "subsession.succeed", childId=nodes[1])
        assert (again.code, again.sibling) == ("ALREADY_SUCCEEDED", heir)
        for yard in yards:
            yard.hang_up()
        check_closing(daemon)
