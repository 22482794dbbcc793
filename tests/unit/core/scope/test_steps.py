import pytest

from subsessiond.core.scope.steps import Meter, StepsSpentError


def test_a_meter_ends_with_its_budget() -> None:
    """The steps of the budget can be spent and none more."""
    meter = Meter(3)
    meter.spend(2)
    meter.spend()
    assert not meter.is_spent
    with pytest.raises(StepsSpentError):
        meter.spend()
    assert meter.is_spent
