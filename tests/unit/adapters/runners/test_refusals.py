from subsessiond.adapters.runners.refusals import KEPT_MOST, Refusals
from subsessiond.core.permit import Refusal


def test_each_refusal_is_told_once() -> None:
    """The same again counts once, and what was taken is forgotten."""
    refusals = Refusals()
    one = Refusal(why="w", blocker="b")
    refusals.add(one)
    refusals.add(Refusal(why="other words", blocker="b"))
    assert refusals.take() == (one,)
    assert refusals.take() == ()


def test_no_flood_of_refusals_is_kept() -> None:
    """An agent that tries everything is told of the first few."""
    refusals = Refusals()
    for n in range(1_000):
        refusals.add(Refusal(why="w", blocker=f"b{n}"))
    assert len(refusals.take()) == KEPT_MOST
