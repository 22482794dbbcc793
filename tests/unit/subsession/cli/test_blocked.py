"""What only a person decides."""

from pathlib import Path

import pytest

from subsession.cli import exits, main
from tests.support.fake_daemon import Json, fake_daemon
from tests.support.rows import CHILD


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
