"""Codex as a child of more than one run: it waits, is told things, and its sandbox holds it."""

import json
import socket
from functools import partial
from pathlib import Path
from typing import Any, Final

import pytest

from tests.support.lifecycle.stage import SHIM, Stage, list_running, stage
from tests.support.modelstub import Usage, script
from tests.support.rigs import BIN, RIGS
from tests.support.shipped import agent_table, make_home, tables_toml

NAME: Final = "codex"
RIG: Final = RIGS[NAME]
ASKED: Final = "Your turn ended"
TIERS: Final = dict.fromkeys(("lead", "worker", "reader"), NAME)
DENIED: Final = "Read-only file system"

pytestmark = [
    pytest.mark.skipif(not BIN.exists(), reason="scripts/agents has not run in this clone"),
    pytest.mark.skipif(not RIG.installed, reason="not for this platform"),
    pytest.mark.timeout(300),  # as test_lifecycle
]


def tables(stub: str) -> str:
    """Give the shipped file with every tier served by codex."""
    return tables_toml(TIERS, {NAME: agent_table(NAME, stub)})


def final(output: str) -> tuple[dict[str, Any], ...]:
    """Report the end, and say goodbye."""
    args = {"output": output, "stage": "final", "outcome": "completed"}
    return {"call": "report", "args": args}, {"text": "bye"}


here_of = partial(stage, tables, partial(make_home, NAME))


def figures(row: dict[str, Any]) -> list[int]:
    """Give what was measured of a node itself."""
    used = row["measuredTokens"]
    return [used["input"], used["cacheRead"], used["output"]]


def told(usage: Usage) -> list[int]:
    """Give the same of what its model told."""
    return [usage.input, usage.cache_read, usage.output]


async def test_a_parent_waits_without_a_process() -> None:
    """It hires, ends its turn, runs no more, and hears of its child's final in a further run."""
    async with here_of() as here:
        first, *rest = final("Leaf has looked.")
        leaf = f"Do leaf. {script({**first, 'wait': 'leaf'}, *rest)}"
        hires = {"role": "worker", "mission": leaf, "tokenCap": 50_000}
        steps = {"call": "subsession_spawn", "args": hires}, {"text": "I wait."}
        parent = await here.spawn(
            "top",
            *steps,
            role="lead",
            when={"Leaf has looked": final("Top is done.")},
        )
        await here.held("leaf")
        (child,) = (await here.call("node", nodeId=parent))["children"]
        await until_waits(here, parent)
        assert here.left_of(parent, f"nothing runs {parent}") == []
        here.stub.release("leaf")
        row = await here.until(parent, "released")
        assert (row["outcome"], row["reason"]) == ("completed", "final-report")
        await here.read_mail(1)
        assert [message["senderSessionId"] for message in here.mail] == [parent]
        own = [r for r in here.asked("top") if r.scripted]
        assert sum(r.holds(f"{child} reported:") for r in own) > 0
        sums = Usage()
        for request in own:
            sums = sums.plus(request.usage or Usage())
        assert figures(row) == told(sums)
        assert here.stub.faults == []


async def until_waits(here: Stage, node: str) -> None:
    """Wait until a node waits for its mail."""
    seq = 0
    while True:
        page = await here.call("tree", sinceSeq=seq, waitMs=20_000)
        seq = page["seq"]
        row = (await here.call("node", nodeId=node))["row"]
        if row.get("phase") == "waiting":
            return


async def test_who_ends_without_a_final_is_asked_once() -> None:
    """The question begins a further run of the same conversation, and its figures go on."""
    async with here_of() as here:
        node = await here.spawn("one", {"text": "All is well."}, when={ASKED: final("It is.")})
        row = await here.until(node, "released")
        assert (row["outcome"], row["reason"], row["author"]) == (
            *("completed", "final-report"),
            "child",
        )
        assert sum(request.said == "All is well." for request in here.asked("one")) == 1
        assert figures(row) == told(here.told("one"))


async def test_it_is_known_by_whose_process_it_is() -> None:
    """Its MCP server gets neither mark nor token, and speaks for its node all the same."""
    async with here_of() as here:
        report = {"call": "report", "args": {"output": "begun", "stage": "progress"}}
        node = await here.spawn("one", {**report, "wait": "gate"}, *final("Done."))
        ends, *_ = final("Done, too.")
        other = await here.spawn("two", {**ends, "wait": "other"}, {"text": "bye"})
        await here.held("gate")
        await here.held("other")
        shims = [pid for pid in list_running(str(here.daemon.socket)) if is_shim(pid)]
        assert len(shims) == len((node, other))
        for pid in shims:
            assert b"SUBSESSION_" not in Path(f"/proc/{pid}/environ").read_bytes()
        here.stub.release("gate")
        assert (await here.until(node, "released"))["reports"] == 2
        assert "reports" not in (await here.call("node", nodeId=other))["row"]
        here.stub.release("other")
        assert (await here.until(other, "released"))["reports"] == 1


def is_shim(pid: int) -> bool:
    """Tell whether a process is an MCP server of ours."""
    words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
    return any(word.endswith(SHIM) for word in words[3:4])


async def shell(here: Stage, line: str, **order: Any) -> str:
    """Have a child run a line in its shell; gives what its model was shown of it."""
    step = RIG.shell.step(line=line)
    node = await here.spawn("shell", step, *final("Done."), **order)
    assert (await here.until(node, "released"))["outcome"] == "completed"
    results = [text for request in here.asked("shell") for text in request.results]
    here.stub.requests.clear()
    return json.dumps(results)


async def test_its_shell_writes_where_its_files_lie(tmp_path: Path) -> None:
    """In the folder of what it owns and a temporary one; nowhere else, whatever the spelling."""
    async with here_of() as here:
        work = here.daemon.workspace
        (work / "docs").mkdir()
        (work / "link").symlink_to("docs")
        tries = ("src/app/one.py", "src/two.py", "docs/x", "link/x", "x", ".subsession/x", ".git/x")
        lines = [
            f"mkdir -p {Path(name).parent}; echo hi >{name} && echo ok:{name}" for name in tries
        ]
        line = "; ".join([*lines, f"echo hi >{tmp_path}/x", "touch $(mktemp) && echo ok:temporary"])
        said = await shell(here, line, ownedGlobs=["src/app/**"])
        assert [name for name in (*tries, "temporary") if f"ok:{name}" in said] == [
            *("src/app/one.py", "temporary")
        ]
        assert DENIED in said
        assert [name for name in tries if (work / name).exists()] == ["src/app/one.py"]
        assert not (tmp_path / "x").exists()


async def test_what_lies_beside_its_file_is_not_held(tmp_path: Path) -> None:
    """A sandbox knows folders alone, so beside a single file the rest of its folder is open to it;
    not so our journals.
    """
    async with here_of() as here:
        line = "echo hi >README.md; echo hi >OTHER.md; echo hi >.subsession/x; ls"
        said = await shell(here, line, ownedGlobs=["README.md"])
        assert "OTHER.md" in said
        assert DENIED in said
        assert not (here.daemon.workspace / ".subsession/x").exists()


def reckless(stub: str, home: Path) -> dict[str, str]:
    """Fill the home of a user who lets codex do anything at her side."""
    environ = make_home(NAME, stub, home)
    file = home / ".codex/config.toml"
    own = file.read_text().replace('"read-only"', '"danger-full-access"')
    assert "danger" in own
    file.write_text(f"{own}\n[sandbox_workspace_write]\nnetwork_access = true\n")
    return environ


async def test_what_its_user_lets_it_do_a_child_may_not() -> None:
    """Her own settings are for her own sessions: a child is held as its role says."""
    async with stage(tables, reckless) as here:
        line = "echo hi >x && echo ok:x; echo hi >src/x && echo ok:src; touch ~/x && echo ok:home"
        (here.daemon.workspace / "src").mkdir()
        said = await shell(here, line, ownedGlobs=["src/**"])
        assert [word for word in ("ok:x", "ok:src", "ok:home") if word in said] == ["ok:src"]
        assert DENIED in said


async def test_a_reader_writes_nothing_at_all() -> None:
    """Who owns no file has no folder, and by no command."""
    async with here_of() as here:
        said = await shell(here, "echo hi >x && echo ok:x; mkdir y && echo ok:y", role="reader")
        assert "ok:" not in said
        assert DENIED in said


@pytest.mark.parametrize(("fetches", "found"), [(True, "reached"), (False, "not permitted")])
async def test_only_who_may_fetch_reaches_the_network(fetches: bool, found: str) -> None:
    """Its shell is held to what its role says, on this machine too."""
    tools = json.dumps(["read", "edit", *(["fetch"] if fetches else [])])
    roles = f'[worker]\ntier = "worker"\ndepth_cap = 0\ntools = {tools}\n'
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        async with here_of({"roles.toml": roles}) as here:
            said = await shell(here, f"exec 3<>/dev/tcp/127.0.0.1/{port} && echo reached")
            assert found in said
            assert ("reached" in said) is fetches
