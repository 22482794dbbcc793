"""The ledger, asked for."""

import json
from pathlib import Path

import pytest

from subsession.cli import exits, main
from tests.support.fake_daemon import Json, fake_daemon
from tests.support.rows import CHILD, ROOT, child_row, figures, sums, view


def test_all_pages_are_one_table(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Rows of every page stand below their root, which is there once."""
    other = CHILD[:-1] + "2"

    def page(params: Json) -> Json:
        if "after" not in params:
            return {"rows": [figures()], "roots": [sums()], "next": CHILD}
        assert params == {"after": CHILD}
        return {"rows": [figures(nodeId=other, title="types")], "roots": [sums()]}

    with fake_daemon(path, {"subsession.stats": page}):
        assert main(["stats"]) == exits.OK
        told = capsys.readouterr().out.splitlines()
        assert main(["stats", "--json"]) == exits.OK
        found = json.loads(capsys.readouterr().out)
    assert [line.split()[0] for line in told[:4]] == ["node", "site", "lint", "types"]
    assert (len(found["rows"]), len(found["roots"])) == (2, 1)


def test_one_node_can_be_named(path: Path) -> None:
    """Its id is what the daemon is asked for."""
    with fake_daemon(path, {"subsession.stats": {"rows": [figures()], "roots": []}}) as daemon:
        assert main(["stats", CHILD]) == exits.OK
        assert daemon.params_of("subsession.stats") == {"nodeId": CHILD}


def test_without_sessions_it_says_so(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """An empty ledger is no empty table."""
    with fake_daemon(path, {"subsession.stats": {"rows": [], "roots": []}}):
        assert main(["stats"]) == exits.OK
    assert capsys.readouterr().out.startswith("no sessions")


@pytest.mark.parametrize(("node_id", "share"), [(CHILD, "0.40 %"), (ROOT, "0.70 %")])
def test_show_has_a_line_of_it(
    path: Path, capsys: pytest.CaptureFixture[str], node_id: str, share: str
) -> None:
    """Of a child it is the child's own, of a root the sums."""
    answers: Json = {
        "subsession.node": view(child_row(nodeId=node_id)),
        "subsession.stats": {"rows": [figures()], "roots": [sums(ratio=0.007)]},
    }
    with fake_daemon(path, answers):
        assert main(["show", node_id]) == exits.OK
    said = "session 250 kB (~83k tokens), parent shown 1 kB (~334 tokens)"
    assert f"context       {said}, {share}\n" in capsys.readouterr().out


def test_a_node_is_shown_no_line_of_it(
    path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The ledger is the operator's: within a node nobody asks for it."""
    monkeypatch.setenv("SUBSESSION_NODE", ROOT)
    monkeypatch.setenv("SUBSESSION_TOKEN", "t")
    with fake_daemon(path, {"subsession.node": view(child_row())}):
        assert main(["show", CHILD]) == exits.OK
    assert "context" not in capsys.readouterr().out
