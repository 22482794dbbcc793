"""S02 for headless agents: a provider's error is a failure, whatever it is called and exits with.

The agents that are prompted and the in-process loop have their own tests.
"""

import pytest

from tests.support.closing import check_closing
from tests.support.daemon import Daemon
from tests.support.headless import ENDS, config, spawn
from tests.support.hire import wait_for

FLAGGED = {"subtype": "success", "is_error": True, "result": "API Error: 529 overloaded_error"}
LOST = {"type": "error", "error": "429 rate_limit_error"}
FAILURES = (
    ("agent-error", "529 overloaded_error", ({"close": FLAGGED}, {"exit": 0})),
    ("agent-error", "429 rate_limit_error", ({"line": LOST}, {"exit": 0})),
    ("start-failed", "429 Too Many Requests", ({"raw": "429 Too Many Requests\n"}, {"exit": 0})),
    ("refusal", "", ({"close": {"subtype": "refusal", "result": "I cannot"}}, {"exit": 0})),
)


@pytest.mark.scenario("S02")
def test_a_provider_error_of_a_headless_agent_is_a_failure() -> None:
    """Failed children have a reason and a diagnostic of their own, and no error is an output."""
    with Daemon(config=config(ends=ENDS)) as daemon:
        root = daemon.open()
        good = [spawn(daemon, root, "ends", {"close": f"found {n}"}) for n in range(2)]
        bad = [spawn(daemon, root, "ends", *steps) for _, _, steps in FAILURES[:3]]
        for node in (*good, *bad):
            wait_for(daemon, node, "released")
        good.append(spawn(daemon, root, "ends", {"close": "found 2"}))
        bad.append(spawn(daemon, root, "ends", *FAILURES[3][2]))
        rows = [wait_for(daemon, node, "released") for node in (*good, *bad)]
        assert [row["outcome"] for row in rows] == ["completed"] * 3 + ["failed"] * 4
        messages = daemon.call("subsession.inbox", nodeId=root)["messages"]
        mail = {message["senderSessionId"]: message for message in messages}
        for node, (reason, words, _) in zip(bad, FAILURES, strict=True):
            envelope = daemon.call("subsession.node", nodeId=node)["envelope"]
            assert (envelope["reason"], envelope["author"]) == (reason, "runtime")
            assert words in envelope["diagnostic"]
            assert len(envelope["diagnostic"].encode()) <= 4_096
            assert mail[node]["source"] == "subagent-settled"
            assert not any(code in mail[node]["text"] for code in ("529", "429", "I cannot"))
        check_closing(daemon)
