"""S05: an agent's question is answered at once, and what nobody may grant waits as a row."""

from typing import Any

import pytest

from tests.support.acting import BLOCKED, FINAL, act, config, heard, prompts
from tests.support.closing import check_closing
from tests.support.daemon import Daemon
from tests.support.hire import wait_for

ALLOW = [{"optionId": "a1", "kind": "allow_once"}, {"optionId": "a2", "kind": "allow_always"}]
REJECT = [{"optionId": "r2", "kind": "reject_always"}, {"optionId": "r1", "kind": "reject_once"}]
UNKNOWN = [{"optionId": "u", "kind": "allow_for_a_while"}]


def question(number: int, options: list[dict[str, str]]) -> dict[str, Any]:
    """Ask to write a file that the child does not own."""
    call = {
        "toolCallId": f"t{number}",
        "title": "Write src/x.py",
        "kind": "edit",
        "locations": [{"path": "src/x.py"}],
    }
    params = {"toolCall": call, "options": options}
    return {"method": "session/request_permission", "params": params}


CASES = {
    "allow-and-reject": ([ALLOW + REJECT], ["r1"]),
    "only-allow": ([ALLOW], ["cancelled"]),
    "unknown-kind": ([UNKNOWN], ["cancelled"]),
    "three-at-once": ([ALLOW + REJECT, REJECT, ALLOW], ["r1", "r1", "cancelled"]),
}


@pytest.mark.scenario("S05")
@pytest.mark.parametrize("case", CASES)
def test_a_question_is_answered_at_once_and_never_with_yes(case: str) -> None:
    """The child reports itself blocked, and one row waits for a person, restart or not."""
    options, expected = CASES[case]
    questions = [question(n, given) for n, given in enumerate(options)]
    with Daemon(config=config(actor={})) as daemon:
        root = daemon.open()
        owns = {"ownedGlobs": ["docs/**"]}
        node = act(daemon, root, [{"ask": questions}, BLOCKED], brief=owns)
        assert wait_for(daemon, node, "released")["outcome"] == "blocked"
        (asked,) = [entry for entry in heard(daemon, node) if "answers" in entry]
        outcomes = [answer["result"]["outcome"] for answer in asked["answers"]]
        assert [o.get("optionId", o["outcome"]) for o in outcomes] == expected
        assert asked["seconds"] < 1.0
        before = daemon.call("subsession.blocked")["rows"]
        assert [row["nodeId"] for row in before] == [node]
        daemon.stop()
        daemon.start()
        assert daemon.call("subsession.blocked")["rows"] == before
        check_closing(daemon)


@pytest.mark.scenario("S05")
@pytest.mark.parametrize("stop", ["end_turn", "cancelled"])
def test_an_agent_that_a_refusal_stops_is_told_how_to_be_blocked(stop: str) -> None:
    """One more prompt names what was refused, and the blocked final is had."""
    with Daemon(config=config(actor={})) as daemon:
        root = daemon.open()
        asked: list[dict[str, Any]] = [
            {"ask": [question(0, ALLOW + REJECT)]},
            {"stop": stop},
        ]
        node = act(daemon, root, asked, [BLOCKED], brief={"ownedGlobs": ["docs/**"]})
        assert wait_for(daemon, node, "released")["outcome"] == "blocked"
        _, told = prompts(daemon, node)
        assert "approval-required: fs write src/x.py" in told
        check_closing(daemon)


@pytest.mark.scenario("S05")
def test_what_the_brief_grants_already_is_allowed_this_once() -> None:
    """Writing an owned file needs nobody, by permission and by file call; the rest is refused."""
    with Daemon(config=config(actor={})) as daemon:
        root = daemon.open()
        own = question(0, ALLOW + REJECT)
        own["params"]["toolCall"]["locations"] = [{"path": "docs/a.md"}]
        writes = [
            {"method": "fs/write_text_file", "params": {"path": path, "content": "x"}}
            for path in (str(daemon.workspace / "docs/a.md"), "src/x.py")
        ]
        steps = [{"ask": [own]}, {"ask": writes}, FINAL]
        node = act(daemon, root, steps, brief={"ownedGlobs": ["docs/**"]})
        assert wait_for(daemon, node, "released")["outcome"] == "completed"
        permitted, written = [e["answers"] for e in heard(daemon, node) if "answers" in e]
        assert permitted[0]["result"]["outcome"]["optionId"] == "a1"
        assert written[0]["result"] == {}
        assert "refused: src/x.py is none of the files you own" in written[1]["error"]["message"]
        assert (daemon.workspace / "docs/a.md").read_text() == "x"
        assert not (daemon.workspace / "src").exists()
        check_closing(daemon)
