"""Claude Code as a child that stays: what it may do is held, and it is spoken with in its turns.

Its user has set that it may do everything unasked, and runs no hooks.
"""

import json
from functools import partial
from typing import Any, Final

import pytest

from tests.support.lifecycle.stage import Stage, stage
from tests.support.modelstub import script
from tests.support.rigs import BIN, RIGS
from tests.support.shipped import agent_table, make_home, tables_toml

NAME: Final = "claude"
TIERS: Final = dict.fromkeys(("lead", "worker", "reader"), NAME)
BLOCKED: Final = {
    "output": "Not mine.",
    "stage": "final",
    "outcome": "blocked",
    "blockers": ["approval-required: fs write other/x"],
}
ASKED: Final = "Your turn ended without a final report"
REFUSED: Final = "Your turn ended after you were refused"

pytestmark = [
    pytest.mark.skipif(not BIN.exists(), reason="scripts/agents has not run in this clone"),
    pytest.mark.skipif(not RIGS[NAME].installed, reason="not for this platform"),
    pytest.mark.timeout(300),  # as test_lifecycle
]


def tables(stub: str) -> str:
    """Give the shipped file with every tier served by Claude Code."""
    return tables_toml(TIERS, {NAME: agent_table(NAME, stub)})


def final(output: str) -> tuple[dict[str, Any], ...]:
    """Report the end, and say goodbye."""
    args = {"output": output, "stage": "final", "outcome": "completed"}
    return {"call": "report", "args": args}, {"text": "bye"}


here_of = partial(stage, tables, partial(make_home, NAME))


def use(tool: str, **args: Any) -> dict[str, Any]:
    """Make the step that uses a tool of its own."""
    return {"call": tool, "args": args}


def shell_of(raw: bytes) -> bytes:
    """Give what a request says of the parameters of its shell."""
    tools = json.loads(raw)["tools"]
    (shell,) = [tool for tool in tools if tool["name"] == "Bash"]
    return json.dumps(shell["input_schema"]).encode()


def put(here: Stage, name: str, text: str = "old") -> str:
    """Make a file, and the folder it lies in; gives its path."""
    path = here.daemon.workspace / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)
    return str(path)


async def test_no_way_of_writing_leads_out_of_its_claim() -> None:
    """Anew, by an edit, in a notebook, through a link, outside of the workspace: all are refused,
    its model is told why, and what it owns it may write all the same.
    """
    async with here_of() as here:
        cells = '{"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}'
        other, book = put(here, "other/x"), put(here, "other/b.ipynb", cells)
        mine = put(here, "src/mine")
        (here.daemon.workspace / "src/link").symlink_to("../other")
        outside = here.daemon.workspace.parent / "outside"
        tries = (
            use("Write", file_path=f"{here.daemon.workspace}/other/new", content="x"),
            use("Read", file_path=other),
            use("Edit", file_path=other, old_string="old", new_string="new"),
            use("Read", file_path=book),
            use(
                "NotebookEdit",
                notebook_path=book,
                new_source="x",
                cell_type="code",
                edit_mode="insert",
            ),
            use("Write", file_path=f"{here.daemon.workspace}/src/link/y", content="x"),
            use("Write", file_path=str(outside), content="x"),
            use("Read", file_path=mine),
            use("Edit", file_path=mine, old_string="old", new_string="new"),
        )
        end = {"call": "report", "args": BLOCKED}, {"text": "bye"}
        node = await here.spawn("first", *tries, *end, ownedGlobs=["src/**"])
        row = await here.until(node, "released")
        assert row["outcome"] == "blocked"
        names = {path.name for path in (here.daemon.workspace / "other").iterdir()}
        assert names == {"x", "b.ipynb"}
        assert not outside.exists()
        assert (here.daemon.workspace / "other/x").read_text() == "old"
        assert (here.daemon.workspace / "other/b.ipynb").read_text() == cells
        assert (here.daemon.workspace / "src/mine").read_text() == "new"
        answers = here.asked("first")[-1].results
        refused = [n for n, answer in enumerate(answers) if "Refused: " in answer]
        assert refused == [0, 2, 4, 5, 6]
        assert "approval-required: fs write other/new" in answers[0]
        assert here.stub.faults == []


async def test_a_turn_that_ends_with_a_refusal_is_told_how_to_be_blocked() -> None:
    """It is asked once, in one message, and its blocked final is had."""
    async with here_of() as here:
        path = f"{here.daemon.workspace}/other"
        blocked = {"call": "report", "args": BLOCKED}, {"text": "bye"}
        node = await here.spawn(
            "first",
            use("Write", file_path=path, content="x"),
            {"text": "I may not."},
            when={REFUSED: blocked},
            ownedGlobs=["src/**"],
        )
        row = await here.until(node, "released")
        assert (row["outcome"], row["reports"]) == ("blocked", 1)
        said = [request.said for request in here.asked("first")]
        assert said == ["", "I may not.", "", "bye"]


async def test_what_its_role_has_no_class_for_is_not_offered() -> None:
    """A worker without a shell of its own subagents; a reader without anything that writes."""
    async with here_of() as here:
        worker = await here.spawn("one", *final("Done."), ownedGlobs=["src/**"])
        reader = await here.spawn("two", *final("Done."), role="reader")
        for node in (worker, reader):
            assert (await here.until(node, "released"))["outcome"] == "completed"
        ours = {"mcp__subsession__report", "mcp__subsession__subsession_checkpoint"}
        offered = set(here.asked("one")[0].offered)
        assert ours <= offered
        assert {"Read", "Write", "Edit"} <= offered
        assert not offered & {"Task", "Agent", "Workflow", "SendUserMessage"}
        assert b"run_in_background" not in shell_of(here.asked("one")[0].raw)
        fewer = set(here.asked("two")[0].offered)
        assert ours <= fewer
        assert not fewer & {"Write", "Edit", "NotebookEdit", "Bash", "Task", "Agent"}


async def test_words_reach_its_model_in_its_turn_in_order() -> None:
    """While it waits for its model and while it runs a command; nothing is cut off by it."""
    async with here_of() as here:
        line = "while [ ! -e go ]; do timeout 1 sleep 0.05; done"
        node = await here.spawn(
            "first",
            {**use("Bash", command=line, description="wait"), "wait": "told"},
            *final("Done."),
            ownedGlobs=["src/**"],
        )
        await here.held("told")
        await here.until(node, "running")
        await here.call("steer", nodeId=node, text="look left")
        here.stub.release("told")
        await here.until_runs(line)
        await here.call("steer", nodeId=node, text="look right")
        (here.daemon.workspace / "go").touch()
        row = await here.until(node, "released")
        assert row["outcome"] == "completed"
        last = here.asked("first")[-1].raw
        assert [last.count(words) for words in (b"look left", b"look right")] == [1, 1]
        assert last.index(b"look left") < last.index(b"look right")
        mail = (await here.call("inbox", nodeId=here.root))["messages"]
        assert not [message for message in mail if "before it read" in message["text"]]


async def test_a_parent_waits_and_hears_of_its_child() -> None:
    """It hires, ends its turn, stays, and its child's final begins another; no subagent of its own
    is offered to it, both sets of our tools are.
    """
    async with here_of() as here:
        first, *rest = final("Leaf has looked.")
        leaf = f"Do leaf. {script({**first, 'wait': 'leaf'}, *rest)}"
        hires = {"role": "worker", "mission": leaf, "tokenCap": 50_000}
        steps = {"call": "subsession_spawn", "args": hires}, {"text": "I wait."}
        told = {"Leaf has looked": final("Top is done.")}
        parent = await here.spawn("top", *steps, role="lead", when=told)
        await here.held("leaf")
        asked = here.asked("top")[0]
        ours = {name for name in asked.offered if name.startswith("mcp__subsession__")}
        assert {f"mcp__subsession__{name}" for name in ("report", "subsession_spawn")} <= ours
        assert not {"Task", "Agent"} & set(asked.offered)
        here.stub.release("leaf")
        row = await here.until(parent, "released")
        assert (row["outcome"], row["reason"]) == ("completed", "final-report")
        await here.read_mail(1)
        assert [message["senderSessionId"] for message in here.mail] == [parent]
        assert here.stub.faults == []


async def test_who_ends_without_a_final_is_asked_once() -> None:
    """Its words are no report; asked, it reports, or has ended without."""
    async with here_of() as here:
        good = await here.spawn("good", {"text": "All is well!"}, when={ASKED: final("Done.")})
        mute = await here.spawn("mute", {"text": "All is well!"}, when={ASKED: ({"text": "No."},)})
        row = await here.until(good, "released")
        assert (row["outcome"], row["reason"]) == ("completed", "final-report")
        row = await here.until(mute, "released")
        assert (row["outcome"], row["reason"]) == ("failed", "ended-without-final")
        assert [request.said for request in here.asked("mute")] == ["All is well!", "No."]
        mail = (await here.call("inbox", nodeId=here.root))["messages"]
        assert "All is well" not in json.dumps(mail)


async def test_its_own_limit_of_turns_is_told() -> None:
    """A profile may set one; the model's work up to there is measured."""
    agent = agent_table(NAME, "STUB")
    agent["command"] += ["--max-turns", "1"]

    def limited(stub: str) -> str:
        text = tables_toml(TIERS, {NAME: agent})
        return text.replace("STUB", stub)

    async with stage(limited, partial(make_home, NAME)) as here:
        progress = {"call": "report", "args": {"output": "Begun.", "stage": "progress"}}
        node = await here.spawn("first", progress, *final("Done."))
        row = await here.until(node, "released")
        assert (row["outcome"], row["reason"]) == ("failed", "turn-limit")
        assert row["measuredTokens"]["input"] == here.told("first").input


async def test_near_its_cap_it_hears_so_in_its_turn_and_at_it_is_stopped() -> None:
    """One that listens ends well; one that does not has its record written for it."""
    progress = {"call": "report", "args": {"output": "On it.", "stage": "progress"}}
    told = {"nearly all tokens": final("As far as I came.")}
    async with here_of() as here:
        good = await here.spawn("good", *[progress] * 12, when=told, tokenCap=90_000)
        deaf = await here.spawn("deaf", *[progress] * 30, tokenCap=60_000)
        row = await here.until(good, "released")
        assert (row["outcome"], row["reason"]) == ("completed", "final-report")
        heard = [request.holds("nearly all tokens you") for request in here.asked("good")]
        assert heard[0] is False
        assert heard[-1] is True
        row = await here.until(deaf, "released")
        assert (row["outcome"], row["reason"]) == ("failed", "token-cap")
        assert row["measuredTokens"]["input"] >= 60_000
        assert len(here.asked("deaf")) < 30
