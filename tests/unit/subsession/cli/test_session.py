"""What a word on the command line names."""

from pathlib import Path
from typing import Any

import pytest

from subsession.cli import exits, main
from tests.support.fake_daemon import fake_daemon
from tests.support.rows import CHILD, child_row


def test_a_short_name_means_the_node_it_ends(
    path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The end of an id or a title name a node; two that fit are told, and so is none."""
    other = child_row(nodeId="1" * 20 + "ch1d01", title="types")
    rows = {"subsession.tree": {"rows": [child_row(), other], "seq": 1, "resync": False}}
    answers: dict[str, Any] = {**rows, "subsession.dismiss": lambda params: params}
    with fake_daemon(path, answers) as daemon:
        assert main(["dismiss", "types"]) == exits.OK
        assert daemon.params_of("subsession.dismiss")["nodeId"] == other["nodeId"]
        assert main(["dismiss", "0ch1d01"]) == exits.OK
        assert daemon.params_of("subsession.dismiss")["nodeId"] == CHILD
        assert main(["dismiss", "ch1d01"]) == exits.USAGE
        assert main(["dismiss", "../../x"]) == exits.REFUSED
        assert len([name for name, _ in daemon.calls if name == "subsession.dismiss"]) == 2
    said = capsys.readouterr().err
    assert "names 2 nodes" in said
    assert "no node here is called '../../x'. [NOT_FOUND 9001]" in said
