"""A refused final says exactly what to change, and is sent again in the same turn."""

import json
from typing import Any

from subsessiond.core.bounds import bytes_of_tokens
from subsessiond.core.report import FINALS_REFUSED
from tests.support.acting import act, config, envelope, heard, prompts
from tests.support.closing import check_closing
from tests.support.daemon import Daemon
from tests.support.hire import wait_for

SCHEMA = {
    "type": "object",
    "properties": {"rows": {"type": "integer"}},
    "required": ["rows"],
    "additionalProperties": False,
}
CONTRACT = {"requiredSections": ["risks"], "outputSchema": SCHEMA}
LARGE = 200_000
OUTCOME = len('{"outcome":"completed"}')
SECTIONS = ["risks: few"]


def final(output: str = "Done.", **fields: Any) -> dict[str, Any]:
    """Have an agent send a completed final."""
    return {"report": {"stage": "final", "outcome": "completed", "output": output, **fields}}


def answers(daemon: Daemon, node: str) -> list[str]:
    """Give what our tools answered an agent."""
    return [entry["said"] for entry in heard(daemon, node) if "tool" in entry]


def test_a_final_that_breaks_its_contract_is_mended_in_its_turn() -> None:
    """Section, field and what is wrong are named; the third try is taken, and nothing else is."""
    wrong = final(sections=SECTIONS, structured=json.dumps({"rows": "three"}))
    right = final(sections=SECTIONS, structured=json.dumps({"rows": 3}))
    with Daemon(config=config(actor={})) as daemon:
        root = daemon.open()
        steps = [final(), wrong, right]
        node = act(daemon, root, steps, brief={"reportContract": CONTRACT})
        assert wait_for(daemon, node, "released")["outcome"] == "completed"
        section, field, taken = (str(said) for said in answers(daemon, node))
        assert "lacks sections" in section
        assert "risks" in section
        assert "report again" in section
        assert "rows" in field
        assert "integer" in field
        assert "report accepted" in taken
        assert len(prompts(daemon, node)) == 1
        (message,) = daemon.call("subsession.inbox", nodeId=root)["messages"]
        assert '"structured":{"rows":3}' in message["text"]
        check_closing(daemon)


def test_a_stubborn_agent_is_ended() -> None:
    """After many refused finals it has failed; its parent is told how often, and why at last."""
    with Daemon(config=config(actor={})) as daemon:
        root = daemon.open()
        steps = [final(f"Done {n}.") for n in range(FINALS_REFUSED + 5)]
        node = act(daemon, root, [*steps, {"hang": 1}], brief={"reportContract": CONTRACT})
        row = wait_for(daemon, node, "released")
        assert (row["outcome"], row["reason"], row["author"]) == (
            "failed",
            "final-refused",
            "runtime",
        )
        (message,) = daemon.call("subsession.inbox", nodeId=root)["messages"]
        assert message["source"] == "subagent-settled"
        assert (
            f"refused {FINALS_REFUSED} times, at last: REPORT_CONTRACT. risks." in (message["text"])
        )
        assert envelope(daemon, node)["output"] in message["text"]
        check_closing(daemon)


def test_a_report_that_is_too_large_becomes_a_file() -> None:
    """The refusal says limit, size and what to do; the path comes in a report, the text never."""
    write = {"large_write": {"path": "out/report.md", "bytes": LARGE}}
    with Daemon(config=config(actor={})) as daemon:
        root = daemon.open()
        small = final("It is in the file.", files=["out/report.md"])
        steps = [{"large_report": LARGE}, write, small]
        node = act(daemon, root, steps, brief={"ownedGlobs": ["out/**"]})
        row = wait_for(daemon, node, "released")
        assert (row["outcome"], row["reason"]) == ("completed", "final-report")
        refused, taken = (str(said) for said in answers(daemon, node))
        assert "write a file you own and send its path" in refused
        assert f"The limit is {bytes_of_tokens(600)}, this is {LARGE + OUTCOME}." in refused
        assert len(refused) <= 2_000
        assert "report accepted" in taken
        assert (daemon.workspace / "out" / "report.md").stat().st_size == LARGE
        (message,) = daemon.call("subsession.inbox", nodeId=root)["messages"]
        assert '"files":["out/report.md"]' in message["text"]
        assert "x" * 50 not in json.dumps(daemon.call("subsession.inbox", nodeId=root))
        check_closing(daemon)
