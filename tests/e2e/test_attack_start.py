"""What an agent says before it is up is nobody's report: no byte of it reaches its parent."""

from typing import Any

import pytest

from subsession.client import Client
from subsession.errors import Refused
from tests.support.acting import config
from tests.support.daemon import Daemon

WORDS = "WORDS-OF-THE-AGENT"
NUMBER = "7" * 300


@pytest.mark.parametrize(
    "script",
    [
        {"start": [{"print": f"{WORDS}\n"}, {"stderr": {"text": f"{WORDS}\n"}}, {"exit": 3}]},
        {"session/new": {"error": {"code": int(NUMBER), "message": WORDS, "data": WORDS}}},
        {"initialize": {"result": {"protocolVersion": WORDS}}},
        {
            "initialize": {"result": {"protocolVersion": 1, "authMethods": [{"id": WORDS}]}},
            "session/new": {"error": {"code": -32000, "message": WORDS}},
        },
    ],
    ids=["prints", "code", "version", "login"],
)
def test_a_parent_hears_of_a_failed_start_in_our_words_alone(script: dict[str, Any]) -> None:
    """Neither in the refusal, nor by mail, tree or node; the operator has it all."""
    with Daemon(config=config(actor=script)) as daemon:
        root = daemon.call("subsession.open", workspace=str(daemon.workspace))
        with Client(daemon.socket, token=root["token"]) as parent:
            brief = {"mission": "Do it."}
            with pytest.raises(Refused) as refused:
                parent.call("subsession.spawn", {"role": "actor", "brief": brief, "waitMs": 20_000})
            (row,) = parent.call("subsession.tree", {})["rows"]
            child = {"nodeId": row["nodeId"]}
            node, mail = parent.call("subsession.node", child), parent.call("subsession.inbox", {})
        shown = f"{refused.value} {vars(refused.value)} {row} {node} {mail}"
        assert "START_FAILED" in shown
        assert WORDS not in shown
        assert NUMBER[:20] not in shown
        told = daemon.call("subsession.node", nodeId=row["nodeId"])["envelope"]["diagnostic"]
        assert "its version is none" in told or WORDS in told
