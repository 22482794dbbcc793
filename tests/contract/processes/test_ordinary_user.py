"""The same promises for a user who is not root."""

from pathlib import Path

import pytest

from tests.support.ordinary import needs_root, run_tests

HERE = Path(__file__).parent


@needs_root
@pytest.mark.serial
@pytest.mark.timeout(120)
def test_stop_and_exit_hold_without_root() -> None:
    """Exits, stops and restarts pass for an ordinary user, by namespace and by descent."""
    names = ("test_exit.py", "test_stop.py", "test_restart.py", "test_keeper.py")
    run = run_tests("-x", *(str(HERE / name) for name in names), limit_s=110)
    assert run.returncode == 0, run.stdout[-4000:] + run.stderr[-2000:]
    assert "passed" in run.stdout
    assert "descent container" not in run.stdout
