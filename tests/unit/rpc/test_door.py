"""`rpc.door`."""

import os
import resource
import socket
from typing import Any

import pytest

from subsessiond.rpc.door import (
    CONNECTIONS_MOST,
    SMALL_BYTES,
    Door,
    connections_most,
    peer_process,
)

pytestmark = pytest.mark.scenario("S20")


class Line:
    """A connection that remembers whether it was sent away."""

    def __init__(
        self, door: Door, who: str | None = None, *, busy: bool = False, process: int = 0
    ) -> None:
        self.gone = False
        self.process = process
        self._door = door
        door.comes(self)
        if busy:
            door.begins(self, who)

    def abort(self) -> None:
        """Close; its end is told to the door, as a transport does."""
        self.gone = True
        self._door.leaves(self)

    def get_extra_info(self, name: str, default: Any = None) -> Any:
        """Have no socket."""
        return None if name == "socket" else default


def by_process(places: int) -> Door:
    """Make a door that asks each line for its process."""
    return Door(places, process_of=lambda line: line.process)  # type: ignore[attr-defined]


def test_of_the_idle_one_of_the_process_that_holds_most_goes() -> None:
    """Who came before a flood, or in the midst of it, keeps its place though it said nothing."""
    door = by_process(4)
    early, late = Line(door, process=1), [Line(door, process=9) for _ in range(2)]
    mine = Line(door, process=2)
    late += [Line(door, process=9) for _ in range(50)]
    assert not early.gone
    assert not mine.gone
    assert [line.gone for line in late] == [True] * 50 + [False] * 2


def test_even_calls_of_a_process_that_floods_give_way_to_the_idle() -> None:
    """Where one process has calls under way in nearly all places, its newest is cut."""
    door = by_process(16)
    flood = [Line(door, "a", busy=True, process=9) for _ in range(15)]
    mine = Line(door, process=1)
    newcomer = Line(door, process=9)
    assert not mine.gone
    assert not newcomer.gone
    assert [line.gone for line in flood] == [False] * 14 + [True]


def test_calls_of_the_person_are_not_cut_however_many() -> None:
    """A script of the person's that has calls in nearly all places loses none of them."""
    door = by_process(4)
    mine = [Line(door, None, busy=True, process=1) for _ in range(3)]
    idle = Line(door, "a", process=2)
    assert not Line(door, process=3).gone
    assert idle.gone
    assert not any(line.gone for line in mine)


def test_a_process_is_known_by_its_socket_and_a_line_without_one_by_itself() -> None:
    """The kernel names the process at the other end; where it does not, each counts alone."""
    near, far = socket.socketpair()
    with near, far:
        line = Line(Door(1))
        assert peer_process(line) is line
        line.get_extra_info = lambda *_: near  # type: ignore[method-assign]
        assert peer_process(line) == os.getpid()
        far.close()
        near.close()
        assert peer_process(line) is line


def test_whoever_is_idle_longest_goes_first() -> None:
    """A newcomer finds room though others hold all places and ask for nothing."""
    door = Door(3)
    first, second, third = (Line(door) for _ in range(3))
    door.begins(first, None)
    door.ends(first)
    newcomer = Line(door)
    assert [line.gone for line in (first, second, third, newcomer)] == [False, True, False, False]
    assert len(door) == 3


def test_a_call_under_way_is_not_cut_for_an_idle_connection() -> None:
    """Who is served stays, however long ago it came."""
    door = Door(2)
    served, idle = Line(door, "a", busy=True), Line(door)
    assert not Line(door).gone
    assert idle.gone
    assert not served.gone


def test_of_those_who_are_served_the_greediest_node_gives_way() -> None:
    """A node that holds most places loses its newest one; neither the person nor others do."""
    door = Door(6)
    mine = [Line(door, None, busy=True) for _ in range(3)]
    other = Line(door, "a", busy=True)
    greedy = [Line(door, "b", busy=True) for _ in range(2)]
    newcomer = Line(door)
    assert [line.gone for line in greedy] == [False, True]
    assert not any(line.gone for line in (*mine, other, newcomer))


def test_where_all_places_are_the_persons_a_newcomer_goes() -> None:
    """There is nobody to send away for it."""
    door = Door(2)
    mine = [Line(door, None, busy=True) for _ in range(2)]
    assert Line(door).gone
    assert not any(line.gone for line in mine)


def test_half_read_bodies_share_a_bound() -> None:
    """Who has held much of a body for longest goes; who holds little stays."""
    door = Door(10, bodies_most_bytes=4 * SMALL_BYTES)
    small, old, young = (Line(door) for _ in range(3))
    door.holds(small, SMALL_BYTES)
    door.holds(old, 2 * SMALL_BYTES)
    door.holds(young, SMALL_BYTES + 1)
    assert [line.gone for line in (small, old, young)] == [False, True, False]
    door.holds(young, 4 * SMALL_BYTES)
    assert young.gone, "nobody else holds much"
    assert not small.gone


def test_a_body_that_has_come_is_not_counted() -> None:
    """Bodies that came one after the other never meet the bound."""
    door = Door(10, bodies_most_bytes=SMALL_BYTES)
    line = Line(door)
    for _ in range(5):
        door.holds(line, SMALL_BYTES)
        door.holds_none(line)
    assert not line.gone


def test_one_who_left_is_not_known_any_more() -> None:
    """What is told of a closed connection, late, changes nothing."""
    door = Door(2)
    line = Line(door, "a", busy=True)
    door.leaves(line)
    door.leaves(line)
    door.ends(line)
    door.begins(line, "a")
    assert len(door) == 0


def test_half_of_the_descriptors_are_for_connections() -> None:
    """The rest is for children, journals and the store."""
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    assert connections_most() == min(CONNECTIONS_MOST, soft // 2)
