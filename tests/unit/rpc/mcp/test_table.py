import json
from typing import Any

import pytest
from msgspec.structs import replace

from subsessiond.core.bounds import estimated_tokens
from subsessiond.core.words.tools import TOOL_WORDS
from subsessiond.model.node import Node, Status
from subsessiond.rpc.mcp.table import ROLES_MOST, TOOLS, Tool, shown, tool_named, tools_of
from subsessiond.wire.brief import BriefFields, ContractFields
from subsessiond.wire.methods import METHODS
from tests.support.playbook import id_of
from tests.support.policies import LEAD, WORKER

ROOT = Node(
    node_id=id_of(1),
    parent=None,
    root=id_of(1),
    workspace="/w",
    status=Status.RUNNING,
    title="",
    depth=8,
    token_cap=0,
    claimed_at_ms=0,
)
CHILD = replace(ROOT, node_id=id_of(2), parent=id_of(1), role=WORKER)
MIDDLE = replace(CHILD, role=LEAD)
ROLES = ("lead", "worker")

CHILD_NAMES = ["report", "subsession_checkpoint"]
PARENT_NAMES = [
    f"subsession_{verb}"
    for verb in ("spawn", "succeed", "inbox", "steer", "cancel", "tree", "node")
]


@pytest.mark.parametrize(
    ("node", "names"),
    [
        (None, []),
        (CHILD, CHILD_NAMES),
        (MIDDLE, CHILD_NAMES + PARENT_NAMES),
        (ROOT, PARENT_NAMES),
    ],
)
def test_whoever_asks_is_shown_its_own_tools(node: Node | None, names: list[str]) -> None:
    """A leaf reports, a root delegates, one between them does both, and nobody is shown none."""
    assert [tool["name"] for tool in shown(node, ROLES)] == names
    assert [tool.name for tool in tools_of(node)] == names


def test_every_tool_calls_a_method_there_is() -> None:
    """Each tool names a method, and each of its parameters a field that the method knows."""
    methods = {method.name: method for method in METHODS}
    more = {
        "subsession.spawn": {
            *(field.alias for field in BriefFields.model_fields.values()),
            *(field.alias for field in ContractFields.model_fields.values()),
        }
    }
    for tool in TOOLS:
        fields = methods[tool.method].documented.model_fields
        known = {field.alias or name for name, field in fields.items()} | more.get(
            tool.method, set()
        )
        assert set(tool.names) <= known, tool.name


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_every_parameter_has_words_and_every_word_a_parameter(tool: Tool) -> None:
    """Table and texts name the same parameters in the same order."""
    assert tuple(name for name, _ in TOOL_WORDS[tool.name].fields) == tool.names
    assert tool_named(tool.name) is tool


def test_a_tool_is_shaped_as_every_public_agent_takes_it() -> None:
    """One flat object of texts, numbers, flags and lists of texts; no name that breaks an agent."""
    for tool in shown(MIDDLE, ROLES):
        schema = tool["inputSchema"]
        assert (schema["type"], schema["additionalProperties"]) == ("object", False)
        assert set(schema["required"]) <= set(schema["properties"])
        for name, field in schema["properties"].items():
            assert name not in ("kind", "summary", "security_risk")
            assert field["type"] in ("string", "integer", "boolean", "array")
            assert set(field) <= {"type", "description", "enum", "items"}
            assert field["type"] != "array" or field["items"] == {"type": "string"}


def test_no_tool_waits_for_an_approval() -> None:
    """Every tool says that it reads; those to report, to hire and to hear are never hidden."""
    tools = {tool["name"]: tool for tool in shown(MIDDLE, ROLES)}
    for tool in tools.values():
        assert tool["annotations"] == {
            "readOnlyHint": True,
            "destructiveHint": False,
            "openWorldHint": False,
        }
    always = {name for name, tool in tools.items() if "_meta" in tool}
    needed = {"report", "subsession_checkpoint", "subsession_spawn", "subsession_inbox"}
    assert always == needed
    assert tools["report"]["_meta"] == {"anthropic/alwaysLoad": True}


def properties(node: Node, name: str, roles: tuple[str, ...] = ROLES) -> dict[str, Any]:
    """Give the parameters of a tool as a node is shown them."""
    found = next(tool for tool in shown(node, roles) if tool["name"] == name)
    return dict(found["inputSchema"]["properties"])


def test_a_spawn_names_the_roles_there_are() -> None:
    """A model chooses from the table; where that is endless it writes a name."""
    assert properties(ROOT, "subsession_spawn")["role"]["enum"] == ["lead", "worker"]
    many = tuple(f"role{n}" for n in range(ROLES_MOST + 1))
    assert "enum" not in properties(ROOT, "subsession_spawn", many)["role"]
    assert "enum" not in properties(ROOT, "subsession_spawn", ())["role"]


def test_a_leaf_is_not_told_of_children() -> None:
    """Only whoever may have children reads how to end them."""
    assert "endChildren" not in properties(CHILD, "report")
    assert "endChildren" in properties(MIDDLE, "report")


@pytest.mark.parametrize(("node", "tokens"), [(CHILD, 950), (ROOT, 2_000), (MIDDLE, 2_950)])
def test_all_that_a_model_is_shown_is_bounded(node: Node, tokens: int) -> None:
    """The whole list, as it is sent, has a price that is known."""
    sent = json.dumps(shown(node, ROLES), separators=(",", ":"))
    assert estimated_tokens(len(sent)) <= tokens
