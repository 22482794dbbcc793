"""What only a person decides."""

from pathlib import Path

import pytest

from subsession.cli import exits, main
from tests.support.fake_daemon import Json, fake_daemon
from tests.support.rows import CHILD


def test_unread_mail_is_listed_with_what_can_be_done(
    path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The row says how much there is, and the lines below how it is read, given on or put aside."""
    mail = {"category": "mail", "unread": 2, "blockers": [], "openQuestions": [], "leftovers": []}
    row = {"nodeId": CHILD, "parentId": CHILD, "title": "lead", "sinceMs": 1, "letter": "", **mail}
    with fake_daemon(path, {"subsession.blocked": {"rows": [row]}}):
        assert main(["blocked"]) == exits.OK
    told = capsys.readouterr().out
    assert "  unread: 2 reports of its children\n" in told
    for verb in ("inbox", "handover", "dismiss"):
        assert f"  subsession {verb} {CHILD[-6:]}" in told


@pytest.mark.parametrize(
    ("words", "sent"),
    [
        ([], {"action": "letter"}),
        (["--as-is"], {"action": "as-is"}),
        (["--answer", "yes"], {"action": "answer", "answer": "yes"}),
        (
            ["--grant-glob", "docs/**", "--grant-tool", "edit", "--grant-tokens", "50k"],
            {
                "action": "grant",
                "grants": {"globs": ["docs/**"], "tools": ["edit"], "tokens": 50_000},
            },
        ),
    ],
)
def test_handover_does_what_its_options_say(path: Path, words: list[str], sent: Json) -> None:
    """Without an option the letter is read; each option is an action."""
    answer = {"mission": "m", "letter": "l", "nodeId": CHILD, "state": "claimed", "warnings": []}
    with fake_daemon(path, {"subsession.handover": answer}) as daemon:
        assert main(["handover", CHILD, *words]) == exits.OK
        assert daemon.params_of("subsession.handover") == {"nodeId": CHILD, **sent}
