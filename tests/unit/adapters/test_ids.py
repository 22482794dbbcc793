from subsessiond.adapters.ids import RandomIds
from subsessiond.model.ids import NodeId, is_node_id


class Wall:
    """A wall clock that a test sets."""

    def __init__(self, ms: int) -> None:
        self.ms = ms

    def __call__(self) -> int:
        """Read it."""
        return self.ms


def test_ids_are_ordered_by_time() -> None:
    """A later millisecond makes a later id, in another process too."""
    early, late = RandomIds(wall_ms=Wall(1_000)), RandomIds(wall_ms=Wall(1_001))
    assert late.node_id() > early.node_id()


def test_a_clock_set_back_makes_no_earlier_id() -> None:
    """Within one life ids grow though the clock is set back."""
    wall = Wall(2_000_000_000_000)
    source = RandomIds(wall_ms=wall)
    first = source.node_id()
    wall.ms -= 90_000
    second = source.node_id()
    assert second > first
    assert is_node_id(second)


def test_ids_go_on_after_those_of_an_earlier_life() -> None:
    """A clock set back between two lives makes no child whose id comes before its parent's."""
    wall = Wall(2_000_000_000_000)
    known = [RandomIds(wall_ms=wall).node_id() for _ in range(3)]
    wall.ms -= 3_600_000
    source = RandomIds(wall_ms=wall)
    source.go_on_after(known)
    assert source.node_id() > max(known)
    source.go_on_after(())
    assert source.node_id() > max(known)


def test_names_that_are_none_of_ours_are_left_alone() -> None:
    """What is spelled in no way of ours says nothing about order."""
    source = RandomIds(wall_ms=Wall(1))
    source.go_on_after((NodeId("zzzz"), NodeId("U" * 26), NodeId("")))
    assert source.node_id() < "0" * 8 + "1"
