import json
from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio

from subsessiond.core.bounds import estimated_tokens
from subsessiond.model.ids import NodeId
from subsessiond.model.report import Outcome, Stage
from tests.support.desk import PERSON, Bench, as_node
from tests.support.mcp_agent import Agent


class House:
    """A root, a lead below it, and the agents of both."""

    def __init__(self, bench: Bench, root: str, lead: str) -> None:
        self.bench = bench
        self.root, self.lead = root, lead
        self.above, self.agent = Agent(bench, as_node(root)), Agent(bench, as_node(lead))


@pytest_asyncio.fixture
async def house(bench: Bench) -> AsyncIterator[House]:
    """Give a lead at work."""
    root = await bench.root()
    made = House(bench, root, await bench.child(root, role="lead", ownedGlobs=["src/**"]))
    yield made
    await made.agent.leave()
    await made.above.leave()


def refused(result: Any) -> tuple[dict[str, Any], str]:
    """Give data and text of a refusal."""
    assert result["isError"]
    (content,) = result["content"]
    return result["structuredContent"], content["text"]


async def test_a_report_with_everything_arrives_as_it_was_meant(house: House) -> None:
    """Sections come as texts and data as JSON text; the parent is shown both as what they are."""
    said = await house.agent.text(
        "report",
        output="Done.",
        stage="final",
        outcome="completed",
        sections=["risks: none: really", " tests :all pass"],
        structured='{"rows":[1,2]}',
        files=["src/a.py"],
        openQuestions=["why?"],
        idempotencyKey="k",
    )
    assert said == f"report accepted by the agent that started you as message {house.lead}.1"
    node = house.bench.node(house.lead)
    assert node.settlement is not None
    assert node.settlement.outcome is Outcome.COMPLETED
    assert node.settlement.sections == {"risks": "none: really", "tests": "all pass"}
    assert node.settlement.structured == {"rows": [1, 2]}
    again = await house.agent.text(
        "report", output="Once more.", stage="final", outcome="completed", idempotencyKey="k"
    )
    assert again == said


@pytest.mark.parametrize("structured", [{"a": 1}, [1], 3, True, "[1]", '"text"', "7"])
async def test_data_is_taken_as_text_or_as_it_is(house: House, structured: Any) -> None:
    """JSON as text is read; what is data already is data."""
    await house.agent.text("report", output="x", structured=structured)
    newest = house.bench.node(house.lead).newest
    assert newest is not None
    expected = json.loads(structured) if isinstance(structured, str) else structured
    assert newest.structured == expected


@pytest.mark.parametrize(
    ("arguments", "path", "words"),
    [
        ({}, "output", "is required"),
        ({"output": 7}, "output", "must be text"),
        ({"output": "x", "stage": "done"}, "stage", "must be one of"),
        ({"output": "x", "stage": "final"}, "outcome", "is required when stage is final"),
        ({"output": "x", "outcome": "completed"}, "outcome", "is only for stage final"),
        ({"output": "x", "stage": "final", "outcome": "blocked"}, "blockers", "needs an entry"),
        ({"output": "x", "blockers": "one"}, "blockers", "put the text in brackets"),
        ({"output": "x", "endChildren": "true"}, "endChildren", "without quotes"),
        ({"output": "x", "structured": "rows: 3"}, "structured", "must be JSON text"),
        ({"output": "x", "structured": None}, "structured", "leave it out"),
        ({"output": "x", "sections": ["no name"]}, "sections[0]", 'written "name: text"'),
        ({"output": "x", "sections": ["a: b", 7]}, "sections[1]", 'written "name: text"'),
        ({"output": "x", "sections": ["a: b", "a: c"]}, "sections[1]", "another entry names"),
        ({"output": "x", "summary": "x"}, "summary", "is not a known field"),
        ({"output": "x", "files": None}, "files", ""),
    ],
)
async def test_a_bad_report_says_what_to_change(
    house: House, arguments: Any, path: str, words: str
) -> None:
    """One field, its name as the model wrote it, and what would be right."""
    data, text = refused(await house.agent.tool("report", **arguments))
    assert [field["path"] for field in data["fields"]] == [path]
    assert words in data["fields"][0]["problem"]
    assert f"{path}: {data['fields'][0]['problem']}." in text
    assert data["retryable"]
    assert house.bench.node(house.lead).reports == 0


async def test_every_bad_field_is_named_at_once(house: House) -> None:
    """A model mends all of a call in one go, and is told the names there are."""
    wrong = {"stage": 1, "outcome": "great", "files": "a", "urgent": True}
    data, text = refused(await house.agent.tool("report", **wrong))
    assert {field["path"] for field in data["fields"]} == {"output", *wrong}
    assert data["code"] == "REPORT_INVALID"
    assert "The parameters are: output, stage, outcome" in text


async def test_numbers_and_flags_of_other_tools_are_as_strict(house: House) -> None:
    """A number in quotes is refused with the hint that helps; flat names stand for nested ones."""
    wrong = {
        "role": "worker",
        "tokenCap": "20000",
        "maxReportTokens": "600",
        "requiredSections": "risks",
        "outputSchema": "not json",
    }
    data, _ = refused(await house.agent.tool("subsession_spawn", **wrong))
    assert [field["path"] for field in data["fields"]] == ["outputSchema"]
    wrong["outputSchema"] = '{"type":"object"}'
    data, text = refused(await house.agent.tool("subsession_spawn", **wrong))
    problems = {field["path"]: field["problem"] for field in data["fields"]}
    assert problems.keys() == {"mission", "tokenCap", "maxReportTokens", "requiredSections"}
    assert "write the number without quotes" in problems["tokenCap"]
    assert "write the number without quotes" in text
    data, _ = refused(await house.agent.tool("subsession_inbox", waitMs="5"))
    assert data["code"] == "INVALID_PARAMS"
    assert "without quotes" in data["fields"][0]["problem"]


@pytest.mark.parametrize("arguments", [None, "x", [], 7])
async def test_arguments_have_to_be_an_object(house: House, arguments: Any) -> None:
    """A list or a text in their place is refused like a bad field."""
    answer = await house.agent.ask("tools/call", name="report", arguments=arguments)
    data, _ = refused(answer["result"])
    assert data["fields"] == [{"path": "arguments", "problem": "must be an object"}]


async def test_a_report_beyond_its_contract_says_how_much(house: House) -> None:
    """Limit and size stand in the data and in the text."""
    data, text = refused(await house.agent.tool("report", output="x" * 9_000, stage="finding"))
    assert (data["code"], data["limit"], data["actual"]) == ("REPORT_TOO_LARGE", 1_800, 9_000)
    assert "1800" in text
    assert "9000" in text
    assert "write a file you own" in text


async def test_a_checkpoint_gives_its_pointer(house: House) -> None:
    """The pointer names the line of the journal; what is missing is named."""
    said = await house.agent.text("subsession_checkpoint", phase="a", state="b", nextStep="c")
    assert said.startswith("checkpoint saved: workspaceFile:.subsession/journals/")
    data, _ = refused(await house.agent.tool("subsession_checkpoint", phase="a"))
    assert [field["path"] for field in data["fields"]] == ["state", "nextStep"]


async def test_a_parent_runs_a_child_through_its_tools(house: House) -> None:
    """Spawn, list, look, read, acknowledge, cancel and succeed, each by a flat call."""
    spawned = json.loads(
        await house.agent.text(
            "subsession_spawn",
            role="worker",
            mission="work",
            ownedGlobs=["src/a/**"],
            tokenCap=20_000,
            maxReportTokens=300,
            requiredSections=["risks"],
            outputSchema='{"type":"object"}',
            context=["src/README.md"],
            idempotencyKey="k",
        )
    )
    child = house.bench.node(spawned["nodeId"])
    assert child.parent == house.lead
    assert (child.max_report_tokens, child.required_sections) == (300, ("risks",))
    assert child.brief is not None
    assert child.brief.report_contract.output_schema == {"type": "object"}
    rows = json.loads(await house.agent.text("subsession_tree"))["rows"]
    assert [row["nodeId"] for row in rows] == [child.node_id]
    await house.bench.say(child.node_id, "found it", Stage.FINDING)
    first = await house.agent.text("subsession_inbox")
    assert first == f"Background subagent {child.node_id} reported:\nfound it"
    again = await house.agent.text("subsession_inbox", acknowledge=False)
    assert again == f"(again) {first}"
    assert await house.agent.text("subsession_inbox", acknowledge=True) == "No messages."
    shown = json.loads(await house.agent.text("subsession_node", nodeId=child.node_id))
    assert shown["row"]["nodeId"] == child.node_id
    await house.agent.text("subsession_cancel", nodeId=child.node_id, waitMs=0)
    await house.bench.gone(child.node_id)
    heir = json.loads(await house.agent.text("subsession_succeed", childId=child.node_id))
    assert house.bench.node(heir["nodeId"]).predecessor == child.node_id


async def test_what_a_tool_changes_is_judged_as_any_call_is(house: House) -> None:
    """The pipeline, the rights and the guard are the methods' own; a leaf may call, and is told."""
    data, text = refused(
        await house.agent.tool("subsession_spawn", role="worker", mission="x", ownedGlobs=["b"])
    )
    assert data["code"] == "SCOPE_OUTSIDE_PARENT"
    assert "own files inside" in text
    data, text = refused(await house.agent.tool("subsession_spawn", role="poet", mission="x"))
    assert data["code"] == "ROLE_UNKNOWN"
    assert "The roles are: check, lead, reader, worker." in text
    leaf = await house.bench.child(house.root)
    agent = Agent(house.bench, as_node(leaf))
    data, _ = refused(await agent.tool("subsession_spawn", role="worker", mission="x"))
    assert data["code"] == "NOT_ALLOWED"
    data, _ = refused(await agent.tool("subsession_node", nodeId=house.lead))
    assert data["code"] == "NOT_FOUND"
    await agent.leave()
    data, _ = refused(await house.above.tool("report", output="x"))
    assert data["code"] == "NOT_ALLOWED"


async def test_a_stranger_has_no_tool(house: House) -> None:
    """Whoever is no node is shown nothing and gets nothing, the operator included."""
    stranger = Agent(house.bench, PERSON)
    assert (await stranger.ask("tools/list"))["result"] == {"tools": []}
    data, text = refused(await stranger.tool("subsession_tree"))
    assert data["code"] == "NOT_ALLOWED"
    assert "subsession open" in text
    await stranger.leave()


async def test_refusals_are_bounded(house: House) -> None:
    """However much was wrong, the answer stays within what any answer may cost."""
    for count, words in (
        (400, "More fields are wrong too."),
        (2_000, "arguments: has 2000 bad fields"),
    ):
        many = {f"field{n}": "x" * 50 for n in range(count)}
        result = await house.agent.tool("subsession_spawn", role="worker", mission="x", **many)
        data, text = refused(result)
        assert estimated_tokens(len(json.dumps(result))) <= 4_000
        assert words in text
        assert data["fields"]


async def test_too_many_refusals_say_when_to_come_again(house: House) -> None:
    """The guard counts tools as it counts methods, and names its time."""
    for _ in range(60):
        refused(await house.agent.tool("report"))
    data, text = refused(await house.agent.tool("report", output="x"))
    assert data["code"] == "BUSY"
    assert f"Try again after {data['retryAfterMs']} ms." in text
    assert house.bench.tree.nodes[NodeId(house.lead)].reports == 0
