"""A public agent as a parent in the middle: what the ledger bills it is what its model received."""

import functools
import re
from typing import Any

import pytest

from tests.support.billed import AGAIN, GENERAL, Given, bill
from tests.support.closing import within
from tests.support.lifecycle.stage import Stage, stage
from tests.support.modelstub import script
from tests.support.parents import seen
from tests.support.rigs import BIN, RIGS
from tests.support.shipped import agent_table, make_home, tables_toml

Steps = tuple[dict[str, Any], ...]

LEAF = "pi-acp"
LEAST_BYTES = 200_000
SHARE_MOST = 0.01
LOOKS = 6
LOOK = "seq -f '%040.0f' {first}0000 {first}1100"
GONE_S = 20.0
ADDED = re.compile(
    r"(?:Wall time: [0-9.]+ seconds\n)?(?:<system>ERROR: Tool execution failed.</system>\n)?"
    r"(?P<text>.*?)"
    r'(?:\n<mcp-result-extras>\n\{"structuredContent":(?P<data>.*)\}\n</mcp-result-extras>)?',
    re.DOTALL,
)
"""What Kimi Code makes of an answer; it shows a refusal's data beside its text."""
REFUSED = {"call": "subsession_node", "args": {"nodeId": "nobody"}}

ROLES = """
[lead]
tier = "lead"
depth_cap = 1
tools = ["read", "edit", "execute", "search", "fetch", "think", "delegate"]

[leaf]
tier = "leaf"
depth_cap = 0
tools = ["read", "edit", "execute", "search", "fetch", "think"]
"""

pytestmark = [
    pytest.mark.skipif(not BIN.exists(), reason="scripts/agents has not run in this clone"),
    pytest.mark.serial,
    # Why so long: three agents start one after another, each in seconds of processor time.
    pytest.mark.timeout(400),
]


def tables(kind: str, stub: str) -> str:
    """Give the shipped file with an agent for parents, and one for leaves."""
    agents = {name: agent_table(name, stub) for name in {kind, LEAF}}
    return tables_toml({"lead": kind, "leaf": LEAF}, agents)


def leaf(name: str) -> dict[str, Any]:
    """Spawn one that looks at a lot, and reports once its gate opens."""
    shell = RIGS[LEAF].shell
    looks = [shell.step(line=LOOK.format(first=n + 1)) for n in range(LOOKS)]
    args = {"output": f"Leaf {name} has looked.", "stage": "final", "outcome": "completed"}
    steps = script(*looks, {"call": "report", "args": args, "wait": name}, {"text": "bye"})
    order = {"role": "leaf", "title": name, "mission": f"Do {name}. {steps}", "tokenCap": 30_000}
    return {"call": "subsession_spawn", "args": order}


def parent(
    *more: dict[str, Any],
) -> tuple[tuple[dict[str, Any], ...], dict[str, tuple[dict[str, Any], ...]]]:
    """Give its first turn, and what it does with each piece of news.

    Args:
        more: what it does with the first besides.
    """
    first = (leaf("east"), leaf("west"), {"text": "I wait."})
    looks = (
        {"call": "subsession_inbox", "args": {"acknowledge": False}},
        {"call": "subsession_tree", "args": {}},
        *more,
        {"text": "I wait for the other.", "wait": "heard"},
    )
    end = {"output": "Both have looked.", "stage": "final", "outcome": "completed"}
    ends = ({"call": "report", "args": end}, {"text": "bye"})
    return first, {"east has looked": looks, "west has looked": ends}


def given_to(here: Stage) -> list[Given]:
    """Give all that the parent's model got of our tools for parents, or as a message."""
    mine = [r for r in here.asked("lead") if r.scripted]
    return [
        read(one.text)
        for one in seen.given_since(mine)
        if not one.tool or (seen.OURS in one.tool and not one.tool.endswith("report"))
    ]


def read(text: str) -> Given:
    """Take what is ours out of what an agent's model got: one adds words of its own to answers."""
    found = ADDED.fullmatch(text)
    assert found is not None, text
    return Given(found["text"], data=found["data"] or "")


@pytest.mark.parametrize(("kind", "more"), [("kimi-acp", (REFUSED,)), ("pi-acp", ())])
async def test_a_parent_in_the_middle_is_billed_what_its_model_received(
    kind: str, more: Steps
) -> None:
    """Tool results and prompts, child by child, to the byte; under a hundredth of their work."""
    if not RIGS[kind].installed or not RIGS[LEAF].installed:
        pytest.skip("not for this platform")
    homes = functools.partial(both_homes, kind)
    async with stage(functools.partial(tables, kind), homes, {"roles.toml": ROLES}) as here:
        steps, news = parent(*more)
        cap = {"tokenCap": 300_000}
        node = await here.spawn("lead", *steps, when=news, role="lead", **cap)
        for gate in ("east", "heard", "west"):
            await here.held(gate)
            here.stub.release(gate)
        await here.read_mail(1)
        assert (await here.until(node, "released"))["reason"] == "final-report"
        assert here.stub.faults == []
        found = await here.call("stats", nodeId=here.root)
        rows = {row["nodeId"]: row for row in found["rows"]}
        mine, *leaves = sorted(rows)
        assert (mine, len(leaves)) == (node, 2)
        expected = bill(given_to(here), leaves)
        for name in leaves:
            assert rows[name]["shownBytes"] == expected[name]
            assert rows[name]["againBytes"] == expected[AGAIN + name]
            assert rows[name]["transcriptBytes"] >= LEAST_BYTES
            assert rows[name]["ratio"] <= SHARE_MOST
        assert rows[leaves[0]]["againBytes"] > 0, "it looked at mail that it was prompted with"
        assert rows[node]["generalBytes"] == expected[GENERAL]
        assert (rows[node]["generalBytes"] > 0) is bool(more)
        assert rows[node]["definitionBytes"] > 0
        told = sum(len(message["text"].encode()) for message in here.mail)
        assert rows[node]["mailBytes"] > told, "the root reads JSON, which frames the text"
        within(here.left_here, "processes in the workspace", GONE_S)


def both_homes(kind: str, stub: str, home: Any) -> dict[str, str]:
    """Fill one user's home for both agents."""
    return {**make_home(kind, stub, home), **make_home(LEAF, stub, home)}
