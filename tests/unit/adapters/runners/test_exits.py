import pytest

from subsessiond.adapters.runners.exits import ending_of_exit
from subsessiond.model.process import Exit


@pytest.mark.parametrize(
    ("ended", "reason", "words"),
    [
        (Exit(code=0), "ended-without-final", "exited with status 0"),
        (Exit(code=3), "exit-status", "exited with status 3"),
        (Exit(signal=9), "killed-by-signal", "signal 9 (SIGKILL)"),
        (Exit(signal=250), "killed-by-signal", "signal 250"),
        (Exit(), "status-lost", "status was lost"),
        (None, "connection-lost", "cannot be spoken with"),
    ],
)
def test_every_end_of_the_agent_has_its_reason(ended: Exit | None, reason: str, words: str) -> None:
    """How it went is told apart, and whether a turn was running."""
    idle, busy = ending_of_exit(ended, in_turn=False), ending_of_exit(ended, in_turn=True)
    assert idle.reason == busy.reason == reason
    assert words in idle.said
    assert busy.said.endswith("in the middle of a turn")
    assert idle.promotes is (ended == Exit(code=0))
    assert not busy.promotes
