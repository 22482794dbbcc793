from typing import Any

import pytest

from subsessiond.adapters.runners.claude.answers import CALLBACK, EVENT, HOOKS, Answers
from subsessiond.adapters.runners.claude.control import AskedWrongly
from subsessiond.adapters.runners.claude.permissions import Permissions
from subsessiond.adapters.runners.refusals import Refusals
from subsessiond.model.role import AgentProfile
from tests.support.stage import Stage

PROFILE = AgentProfile(name="claude", runner="claude", command=("claude",))


@pytest.fixture
async def answers(here: Stage) -> Answers:
    """Answers for a worker that owns what lies in docs."""
    node = here.node(await here.admit(role="worker", owns=("docs/**",)))
    return Answers(lambda: node, Permissions(PROFILE, Refusals()))


def use(path: str) -> dict[str, Any]:
    """Give the input of a write."""
    return {"file_path": path, "content": "x"}


async def test_a_question_is_answered_with_yes_or_no(here: Stage, answers: Answers) -> None:
    """Yes gives the input back as it was, for this one time; no says why and what to report."""
    asked = {"subtype": "can_use_tool", "tool_name": "Write"}
    own = use(f"{here.folder}/docs/a.md")
    suggested = [{"type": "setMode", "mode": "acceptEdits", "destination": "session"}]
    allowed = await answers.answer({**asked, "input": own, "permission_suggestions": suggested})
    assert allowed == {"behavior": "allow", "updatedInput": own}
    denied = await answers.answer({**asked, "input": use(f"{here.folder}/b.md")})
    assert denied["behavior"] == "deny"
    assert denied["message"].startswith("Refused: b.md is none of the files you own.")
    assert denied["message"].endswith("approval-required: fs write b.md")
    assert set(denied) == {"behavior", "message"}


async def test_a_hook_says_no_or_nothing(here: Stage, answers: Answers) -> None:
    """It never says yes: what the user's own settings forbid stays forbidden."""
    asked = {"subtype": "hook_callback", "callback_id": CALLBACK}
    own = {"tool_name": "Write", "tool_input": use(f"{here.folder}/docs/a.md")}
    assert await answers.answer({**asked, "input": own}) == {}
    other = {"tool_name": "Write", "tool_input": use(f"{here.folder}/b.md")}
    said = (await answers.answer({**asked, "input": other}))["hookSpecificOutput"]
    assert (said["hookEventName"], said["permissionDecision"]) == (EVENT, "deny")
    assert "approval-required: fs write b.md" in said["permissionDecisionReason"]
    (matcher,) = HOOKS[EVENT]
    assert matcher == {"matcher": "*", "hookCallbackIds": [CALLBACK], "onFailure": "block"}


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"subtype": "elicitation"}, "unsupported request: elicitation"),
        ({"subtype": "x\n" * 500}, "unsupported request: x x"),
        ({"subtype": 4}, "unsupported request: none"),
        ({}, "unsupported request: none"),
        ({"subtype": "hook_callback", "callback_id": "theirs"}, "there is no such hook"),
    ],
)
async def test_all_else_is_an_error(answers: Answers, asked: dict[str, Any], words: str) -> None:
    """Every question has its answer, and none of these grants anything."""
    with pytest.raises(AskedWrongly) as caught:
        await answers.answer(asked)
    assert str(caught.value).startswith(words)
    assert len(str(caught.value)) < 200


@pytest.mark.parametrize("said", [None, 4, [], {"tool_name": 4, "tool_input": []}])
async def test_a_question_without_sense_is_refused(answers: Answers, said: Any) -> None:
    """What nobody knows is not allowed."""
    asked = {"subtype": "can_use_tool", "tool_name": said, "input": said}
    assert (await answers.answer(asked))["behavior"] == "deny"
    hooked = {"subtype": "hook_callback", "callback_id": CALLBACK, "input": said}
    assert "hookSpecificOutput" in await answers.answer(hooked)
