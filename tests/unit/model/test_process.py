import pytest

from subsessiond.model.process import Exit, LaunchFault


@pytest.mark.parametrize(
    ("ended", "unknown"), [(Exit(), True), (Exit(code=0), False), (Exit(signal=9), False)]
)
def test_an_exit_whose_status_was_lost_says_so(ended: Exit, unknown: bool) -> None:
    """Status 0 is a status."""
    assert ended.is_unknown is unknown


def test_a_launch_fault_is_one_sentence() -> None:
    """It names the program and why."""
    fault = LaunchFault("no such file", "agent")
    assert str(fault) == "cannot start 'agent': no such file"
