from pathlib import Path
from typing import Any

import pytest

from subsessiond.adapters.runners.acp.answers import Answers
from subsessiond.adapters.runners.acp.connection import AskedWrongly
from subsessiond.adapters.runners.acp.files import Files
from subsessiond.adapters.runners.acp.permissions import CANCELLED, Permissions
from subsessiond.adapters.runners.acp.toolcalls import ToolCalls
from subsessiond.adapters.runners.acp.updates import Updates
from subsessiond.adapters.runners.refusals import Refusals
from subsessiond.adapters.runners.signs import Signs
from subsessiond.model.commands import NoteSign
from subsessiond.model.role import AgentProfile
from tests.support.nodes import node_in
from tests.support.stage import Stage

READ_ONCE = [{"optionId": "yes", "kind": "allow_once"}]


@pytest.fixture
def answers(here: Stage, tmp_path: Path) -> Answers:
    """Answers for the session `s`, in a turn."""
    calls, refusals = ToolCalls(), Refusals()
    permissions = Permissions(AgentProfile(name="a", runner="acp"), calls, refusals)
    updates = Updates(calls, Signs(here.voice, here.root, apart_s=0))
    made = Answers(
        lambda: node_in(tmp_path, "**"), lambda: True, (permissions, Files(refusals), updates)
    )
    made.session = "s"
    return made


async def test_files_and_permissions_of_the_session_are_answered(
    answers: Answers, tmp_path: Path
) -> None:
    """Each method goes where it is answered."""
    written = {"sessionId": "s", "path": str(tmp_path / "a"), "content": "x"}
    assert await answers.answer("fs/write_text_file", written) == {}
    assert await answers.answer("fs/read_text_file", written) == {"content": "x"}
    asked = {"sessionId": "s", "toolCall": {"kind": "read"}, "options": READ_ONCE}
    answer = await answers.answer("session/request_permission", asked)
    assert answer["outcome"] == {"outcome": "selected", "optionId": "yes"}


@pytest.mark.parametrize("session", ["other", None, 3, ""])
async def test_another_session_gets_nothing(answers: Answers, tmp_path: Path, session: Any) -> None:
    """What is asked for a session that is not ours grants and writes nothing."""
    asked = {"sessionId": session, "toolCall": {"kind": "read"}, "options": READ_ONCE}
    assert await answers.answer("session/request_permission", asked) == CANCELLED
    written = {"sessionId": session, "path": str(tmp_path / "a"), "content": "x"}
    for method in ("fs/write_text_file", "fs/read_text_file"):
        with pytest.raises(AskedWrongly) as raised:
            await answers.answer(method, written)
        assert raised.value.code == -32602
    assert not (tmp_path / "a").exists()


@pytest.mark.parametrize(
    "method", ["terminal/create", "elicitation/create", "vendor/ask", "", "x" * 5_000]
)
async def test_what_we_cannot_do_is_said(answers: Answers, method: str) -> None:
    """Methods we never advertised get the error for it, bounded."""
    with pytest.raises(AskedWrongly) as raised:
        await answers.answer(method, {"sessionId": "s"})
    assert raised.value.code == -32601
    assert len(raised.value.said) < 200


async def test_only_updates_of_the_session_are_heard(answers: Answers, here: Stage) -> None:
    """Vendors' notifications and updates of other sessions pass by."""
    update = {"sessionUpdate": "plan"}
    answers.hear("qwen/notify/thing", {"sessionId": "s", "update": update})
    answers.hear("session/update", {"sessionId": "other", "update": update})
    answers.hear("session/update", {"_meta": {"sessionId": "s"}, "update": update})
    assert here.told(NoteSign) == []
    answers.hear("session/update", {"sessionId": "s", "update": update})
    assert [sign.sign for sign in here.told(NoteSign)] == ["plan"]


async def test_before_there_is_a_session_nothing_is_granted(
    answers: Answers, tmp_path: Path
) -> None:
    """An empty name is the name of no session."""
    answers.session = ""
    asked = {"sessionId": "", "options": READ_ONCE, "toolCall": {"kind": "read"}}
    assert await answers.answer("session/request_permission", asked) == CANCELLED
    written = {"sessionId": "", "path": str(tmp_path / "a"), "content": "x"}
    with pytest.raises(AskedWrongly):
        await answers.answer("fs/write_text_file", written)
    assert not (tmp_path / "a").exists()
