"""How waiting ends."""

from pathlib import Path
from typing import Any

import pytest

from subsession.cli import exits, main
from tests.support.fake_daemon import fake_daemon
from tests.support.rows import CHILD, child_row, view


@pytest.mark.parametrize(
    ("outcome", "code"),
    [("completed", 0), ("blocked", 10), ("failed", 11), ("cancelled", 12), ("orphaned", 13)],
)
def test_wait_exits_by_outcome(
    path: Path, capsys: pytest.CaptureFixture[str], outcome: str, code: int
) -> None:
    """Each outcome has its documented code, and the report is shown."""
    with fake_daemon(path, {"subsession.node": view(child_row(outcome))}):
        assert main(["wait", CHILD]) == code
    assert capsys.readouterr().out == (
        f"lint ch1d01: {outcome} in 4s (final-report, said by the child)\n  all is well\n"
    )


@pytest.mark.parametrize(
    ("output", "diagnostic", "said"),
    [
        ("", "", "  nothing was said; `subsession journal ch1d01` has the record\n"),
        ("", "out of memory", "  out of memory\n"),
        ("late", "out of memory", "  late\n  out of memory\n"),
        ("late", "late", "  late\n"),
        ("Last lines:\nno pytest", "no pytest\n", "  Last lines:\n  no pytest\n"),
    ],
)
def test_how_a_node_ended_is_never_left_open(
    path: Path, capsys: pytest.CaptureFixture[str], output: str, diagnostic: str, said: str
) -> None:
    """Without a report there is what the runtime knows, once, or where to look."""
    ended = view(child_row("failed"), output=output, diagnostic=diagnostic)
    with fake_daemon(path, {"subsession.node": ended}):
        assert main(["wait", CHILD]) == exits.FAILED
    assert capsys.readouterr().out.partition("\n")[2] == said


def test_wait_follows_a_live_node_to_its_end(path: Path) -> None:
    """A node that lives is waited for by what changes in the tree."""
    rows = [child_row(None), child_row("failed")]
    views = iter([view(rows[0]), view(rows[1])])
    pages = iter([{"rows": [row], "seq": n, "resync": False} for n, row in enumerate(rows)])
    answers = {
        "subsession.node": lambda _: next(views),
        "subsession.tree": lambda _: next(pages),
    }
    with fake_daemon(path, answers) as daemon:
        assert main(["wait", CHILD]) == exits.FAILED
        assert daemon.params_of("subsession.tree")["sinceSeq"] == 0


def test_wait_that_takes_too_long_is_code_124(
    path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The time of --timeout over, what still lives is named."""
    row = child_row(None)
    answers: dict[str, Any] = {
        "subsession.node": view(row),
        "subsession.tree": {"rows": [row], "seq": 1, "resync": False},
    }
    with fake_daemon(path, answers):
        assert main(["wait", CHILD, "--timeout", "0"]) == exits.TIMEOUT
    assert "still live after 0 s: ch1d01" in capsys.readouterr().err


def test_of_several_nodes_the_largest_code_counts(path: Path) -> None:
    """With --all every node counts, in whatever order they are named."""
    other = "0" * 20 + "ch1d02"
    views = {CHILD: view(child_row("failed")), other: view(child_row("blocked", nodeId=other))}
    with fake_daemon(path, {"subsession.node": lambda params: views[params["nodeId"]]}):
        assert main(["wait", CHILD, other]) == exits.FAILED
        assert main(["wait", other, CHILD, "--all"]) == exits.FAILED


def test_wait_for_any_is_content_with_one(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With --any a node that lives on is no trouble."""
    live = "0" * 20 + "ch1d02"
    views = {CHILD: view(child_row()), live: view(child_row(None, nodeId=live))}
    with fake_daemon(path, {"subsession.node": lambda params: views[params["nodeId"]]}):
        assert main(["wait", "--any", live, CHILD]) == exits.OK
    assert capsys.readouterr().err == ""
