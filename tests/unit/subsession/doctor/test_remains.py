"""`subsession.doctor.remains`; the daemon of a trial is ended in `tests/e2e/test_doctor.py`."""

import os
import signal
from pathlib import Path

import pytest

from subsession.doctor.remains import clear, hold, in_order


def test_only_what_nobody_holds_is_removed(tmp_path: Path) -> None:
    """Another trial may be under way beside this one; what has no lock yet is about to begin."""
    mine, left, fresh, other = (
        tmp_path / name for name in ("trial-a", "trial-b", "trial-c", "other")
    )
    for folder in (mine, left, fresh, other):
        folder.mkdir()
    held = hold(mine)
    os.close(hold(left))
    clear(tmp_path)
    assert sorted(one.name for one in tmp_path.iterdir()) == ["other", "trial-a", "trial-c"]
    os.close(held)
    clear(tmp_path)
    assert not mine.exists()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_what_was_begun_first(number: signal.Signals) -> None:
    """It leaves as an interrupt does, with the status that a shell gives, and once only."""
    before = signal.getsignal(number)
    with pytest.raises(SystemExit) as left, in_order():
        signal.raise_signal(number)
    assert left.value.code == 128 + number
    assert signal.getsignal(number) is before
