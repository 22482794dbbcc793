from pathlib import Path
from typing import Any

import msgspec
import pytest

from subsessiond.adapters.runners.script import (
    MOST_BYTES,
    Ending,
    Sign,
    Step,
    Written,
    parse_script,
    read_script,
)
from subsessiond.model.node import Phase, StopReason
from subsessiond.model.report import Outcome
from subsessiond.model.role import AgentProfile
from subsessiond.ports import RunnerFault
from tests.support.policies import ACTOR
from tests.support.stage import Stage

EVERY: dict[str, list[dict[str, Any]]] = {
    "steps": [
        {"report": {"output": "x"}},
        {"checkpoint": {"phase": "p"}},
        {"spawn": {"role": "worker", "brief": {}}},
        {"waitMail": 2},
        {"awaitPrompt": None},
        {"write": {"path": "a", "text": "b"}},
        {"pauseMs": 5},
        {"sign": {"sign": "tool", "phase": "in-tool"}},
        {"endTurn": None},
        {"end": {"outcome": "failed", "stopReason": "refusal", "reason": "r", "diagnostic": "d"}},
        {"raise": "boom"},
    ]
}


def test_every_step_is_read() -> None:
    """Each kind of step comes out with its value checked and typed."""
    steps = parse_script(msgspec.json.encode(EVERY))
    assert [step.verb for step in steps] == [next(iter(step)) for step in EVERY["steps"]]
    assert Step("write", Written(path="a", text="b")) in steps
    assert Step("sign", Sign(sign="tool", phase=Phase.IN_TOOL)) in steps
    ending = Ending(Outcome.FAILED, StopReason.REFUSAL, "r", "d")
    assert Step("end", ending) in steps


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "truncated"),
        ("{", "truncated"),
        ("[]", "object"),
        ('{"step": []}', "step"),
        ('{"steps": [], "more": 1}', "more"),
        ('{"steps": [1]}', "object"),
        ('{"steps": [{}]}', "step 1 must have one key, it has 0"),
        ('{"steps": [{"pauseMs": 1, "end": {}}]}', "step 1 must have one key, it has 2"),
        ('{"steps": [{"pauseMs": 1}, {"dance": 1}]}', "step 2: there is no step 'dance'"),
        ('{"steps": [{"pauseMs": -1}]}', "step 1 (pauseMs): "),
        ('{"steps": [{"pauseMs": "1"}]}', "step 1 (pauseMs): "),
        ('{"steps": [{"waitMail": 1.5}]}', "step 1 (waitMail): "),
        ('{"steps": [{"report": []}]}', "step 1 (report): "),
        ('{"steps": [{"write": {"text": "x"}}]}', "step 1 (write): "),
        ('{"steps": [{"end": {"outcome": "great"}}]}', "step 1 (end): "),
        ('{"steps": [{"end": {"why": "x"}}]}', "step 1 (end): "),
        ('{"steps": [{"sign": {"phase": "dancing"}}]}', "step 1 (sign): "),
        ('{"steps": [{"raise": 1}]}', "step 1 (raise): "),
    ],
)
def test_a_bad_script_is_refused_whole(text: str, words: str) -> None:
    """What is no script says at which step and why, before anything is played."""
    with pytest.raises(ValueError, match=r".") as caught:
        parse_script(text.encode())
    assert words in str(caught.value)


async def test_the_file_of_the_profile_is_the_script(here: Stage, tmp_path: Path) -> None:
    """A profile's first word names the file; without one the mission is the script."""
    path = tmp_path / "script.json"
    path.write_text('{"steps": [{"pauseMs": 1}]}')
    profile = AgentProfile(name="actor", runner="scripted", command=(str(path),))
    order = await here.order(profile, role="worker", mission='{"steps": [{"pauseMs": 2}]}')
    assert read_script(order) == (Step("pauseMs", 1),)
    order = await here.order(ACTOR, role="worker", mission='{"steps": [{"pauseMs": 2}]}')
    assert read_script(order) == (Step("pauseMs", 2),)


async def test_a_script_that_cannot_be_read_names_its_agent(here: Stage, tmp_path: Path) -> None:
    """A missing file, a huge one and a mission that is none are faults that name the agent."""
    huge = tmp_path / "huge.json"
    with huge.open("wb") as file:
        file.truncate(MOST_BYTES + 1)
    for command, mission, words in (
        (("/no/such/script.json",), "x", "/no/such/script.json"),
        ((str(huge),), "x", "bytes"),
        ((), "Write a poem.", "malformed"),
    ):
        profile = AgentProfile(name="actor", runner="scripted", command=command)
        order = await here.order(profile, role="worker", mission=mission)
        with pytest.raises(RunnerFault, match="reading the script of agent actor") as caught:
            read_script(order)
        assert words in str(caught.value)
