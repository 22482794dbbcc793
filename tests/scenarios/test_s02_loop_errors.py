"""S02 (e) for the in-process loop: what a model's endpoint answers in place of a result is none."""

import pytest

from tests.support.closing import check_closing
from tests.support.daemon import Daemon
from tests.support.hire import wait_for
from tests.support.looped import ENVIRON, config, final, served, spawn

FAILURES = (
    ("model-error", "error", "HTTP status 429", {"error": 429, "retry_after": 0}),
    ("model-error", "error", "HTTP status 500", {"error": 500, "retry_after": 0}),
    ("model-error", "error", "HTTP status 401", {"error": 401}),
    ("max-tokens", "max-tokens", "limit of its answer", {"text": "I wa", "finish": "limit"}),
    ("refusal", "refusal", "withheld", {"text": "I cannot", "finish": "refusal"}),
)


@pytest.mark.scenario("S02")
@pytest.mark.parametrize("dialect", ["openai", "anthropic"])
def test_a_provider_error_of_a_loop_is_a_failure(dialect: str) -> None:
    """Three completed and five failed, each with its own reason; no error is anybody's output."""
    with served() as models, Daemon(config=config(models.stub.url, dialect), environ=ENVIRON) as d:
        root = d.open()
        bad = [spawn(d, root, step) for *_, step in FAILURES]
        rows = [wait_for(d, node, "released") for node in bad]
        good = [spawn(d, root, final(f"found {n}")) for n in range(3)]
        done = [wait_for(d, node, "released") for node in good]
        assert [row["outcome"] for row in (*rows, *done)] == ["failed"] * 5 + ["completed"] * 3
        mail = {
            m["senderSessionId"]: m for m in d.call("subsession.inbox", nodeId=root)["messages"]
        }
        for node, (reason, stop, words, _) in zip(bad, FAILURES, strict=True):
            envelope = d.call("subsession.node", nodeId=node)["envelope"]
            assert (envelope["reason"], envelope["stopReason"]) == (reason, stop)
            assert (envelope["author"], envelope["output"]) == ("runtime", "")
            assert words in envelope["diagnostic"]
            assert len(envelope["diagnostic"].encode()) <= 4_096
            assert mail[node]["source"] == "subagent-settled"
            assert "The runtime wrote this, not the child." in mail[node]["text"]
            assert not any(
                said in mail[node]["text"] for said in ("429", "500", "I wa", "I cannot")
            )
        check_closing(d)
