"""S38 for in-process loops: the key of a model, and one in its address, stay in the daemon."""

import json

import pytest

from tests.support.closing import check_closing
from tests.support.daemon import Daemon
from tests.support.hire import wait_for
from tests.support.looped import ENVIRON, SECRET, config, final, served, spawn

IN_ADDRESS = "sk-address-ABCDEFGHIJKLMNOPQRSTUVWX"


@pytest.mark.scenario("S38")
def test_no_key_of_a_model_is_found_outside() -> None:
    """Not in diagnostics, notices, journals, transcripts or the log; what is left is readable."""
    with served() as models:
        tables = config(models.stub.url)
        tables["agents.toml"] = tables["agents.toml"].replace(
            "/v1", f"/v1/nowhere?api_key={IN_ADDRESS}"
        )
        with Daemon(config=tables, environ=ENVIRON) as daemon:
            root = daemon.open()
            node = spawn(daemon, root, final())
            assert wait_for(daemon, node, "released")["outcome"] == "failed"
            view = daemon.call("subsession.node", nodeId=node)
            assert "404" in view["envelope"]["diagnostic"]
            shown = json.dumps(
                [view, daemon.call("subsession.inbox", nodeId=root), list(daemon.rows().values())]
            )
            agents = json.dumps(daemon.call("agents.list"))
            check_closing(daemon)
            written = [daemon.log, *daemon.state.rglob("*"), *daemon.workspace.rglob("*")]
        for text in (
            shown,
            agents,
            *(p.read_bytes().decode(errors="replace") for p in written if p.is_file()),
        ):
            assert SECRET not in text
            assert IN_ADDRESS not in text
