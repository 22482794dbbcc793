"""What reaches the terminal."""

from pathlib import Path
from typing import Any

import pytest

from subsession.cli import main
from tests.support.fake_daemon import fake_daemon
from tests.support.rows import CHILD, child_row, figures, sums, view

NASTY = "\x1b[2J\x1b]0;owned\x07\u202e\x9b1m</script>\u2028\x7f"


@pytest.mark.scenario("S39")
@pytest.mark.parametrize(
    "words",
    [["tree"], ["show", CHILD], ["wait", CHILD], ["blocked"], ["handover", CHILD], ["inbox", CHILD],
     ["journal", CHILD], ["status"], ["logs", CHILD], ["stats"]],
)  # fmt: skip
@pytest.mark.parametrize("as_json", [False, True])
def test_no_word_of_an_agent_reaches_the_terminal_raw(
    path: Path, capsys: pytest.CaptureFixture[str], words: list[str], as_json: bool
) -> None:
    """Whatever verb shows it, hostile text is shown as text, also as JSON."""
    row = child_row("blocked", title=NASTY, role=NASTY, reason=NASTY, phase=NASTY)
    said = {"output": NASTY, "blockers": [NASTY], "openQuestions": [NASTY], "diagnostic": NASTY}
    said["sections"] = {NASTY: NASTY}  # type: ignore[assignment]
    seen = view(row, **said, structured={NASTY: NASTY})
    mail = {"messageId": NASTY, "source": NASTY, "text": NASTY, "stage": NASTY}
    answers: dict[str, Any] = {
        "subsession.tree": {"rows": [row], "seq": 7, "resync": False},
        "subsession.node": {**seen, "brief": {"mission": NASTY}, "letter": NASTY, "owns": [NASTY],
                            "checkpoint": {"phase": NASTY, "nextStep": NASTY}},
        "subsession.blocked": {"rows": [{**row, **said, "category": NASTY, "leftovers": [NASTY]}]},
        "subsession.handover": {"mission": NASTY, "letter": NASTY},
        "subsession.inbox": {"messages": [mail], "more": 0},
        "subsession.journal": {"records": [{"n": 1, "at": 1, "kind": NASTY, "body": {"x": NASTY}}]},
        "subsession.transcript": {"records": [{"n": 1, "at": 1, "kind": NASTY, "text": NASTY}]},
        "subsession.stats": {"rows": [figures(title=NASTY)], "roots": [sums(title=NASTY)]},
        "daemon.health": {"ok": True, "seq": 9},
        "daemon.stats": {NASTY: 2},
        "roles.list": {"roles": [{"name": NASTY}]},
    }  # fmt: skip
    with fake_daemon(path, answers):
        main([*words, "--json"] if as_json else words)
    shown = capsys.readouterr()
    assert shown.out
    for char in shown.out + shown.err:
        assert char == "\n" or char.isprintable(), repr(char)
