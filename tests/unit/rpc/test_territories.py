"""`rpc.territories`."""

from typing import Any

import pytest

from subsessiond.model.events import (
    AnyEvent,
    NodeReleased,
    NodeStarted,
    ProcessNoted,
    RootJoined,
    RootOpened,
    RootResumed,
)
from subsessiond.model.node import Status
from subsessiond.model.peer import Peer, Spot
from subsessiond.rpc.territories import Finding, Territories
from tests.support.desk import identity
from tests.support.trees import AT_MS, a_node, a_tree, node_id


def a_peer(*pids: int, **fields: Any) -> Peer:
    """Make a peer whose ancestors have these numbers; each started at its number."""
    line = tuple(Spot(pid=pid, start_ticks=pid) for pid in pids)
    made: dict[str, Any] = {"pid": pids[0], "boot_id": "boot", "line": line, **fields}
    return Peer(**made)


def nodes() -> list[Any]:
    """A root, a child with process 100, its own child with process 200, another child."""
    return [
        a_node(1, None, identity=identity(50, 50)),
        a_node(2, identity=identity(100, 100)),
        a_node(3, 2, identity=identity(200, 200)),
        a_node(4, identity=identity(300, 300, cgroup="/sys/fs/cgroup/user/subsessiond-7/n4")),
    ]


def a_territory() -> Territories:
    """Know these nodes."""
    return Territories(a_tree(nodes()))


def after(event: AnyEvent, *more: Any) -> Territories:
    """Know these nodes, and let one event happen."""
    territories = a_territory()
    territories.on_events((event,), a_tree([*nodes(), *more]))
    return territories


def test_who_was_a_root_is_it_still_though_the_tree_is_forgotten() -> None:
    """The newest word counts: a process that went over to another root is that one's."""
    agents = [(node_id(8), identity(70, 70)), (node_id(9), identity(70, 70))]
    territories = Territories(a_tree(nodes()), agents)
    assert territories.find(a_peer(7, 70, 1)) == Finding(node_id=node_id(9), by_kernel=True)
    assert territories.find(a_peer(7, 50, 1)).node_id == node_id(1)


def test_a_bridge_is_the_root_it_joined() -> None:
    """Whatever becomes of the agent above it."""
    event = RootJoined(node=node_id(1), bridge=identity(80, 80), at_ms=AT_MS)
    assert after(event).find(a_peer(81, 80, 1)).node_id == node_id(1)


def test_a_process_in_nobodys_territory_belongs_to_nobody() -> None:
    """A process without a recorded ancestor, container or mark is found to be nobody's."""
    assert a_territory().find(a_peer(7, 6, 1)) == Finding()


def test_a_descendant_belongs_to_the_node_of_its_ancestor() -> None:
    """However deep below, a process belongs to the nearest recorded process above it."""
    found = a_territory().find(a_peer(7, 6, 100, 50, 1))
    assert found == Finding(node_id=node_id(2), by_kernel=True)
    assert a_territory().find(a_peer(7, 200, 100, 1)).node_id == node_id(3)


def test_what_an_agent_of_a_person_starts_belongs_to_the_root() -> None:
    """A root's territory is everything below its agent, shells included."""
    assert a_territory().find(a_peer(9, 8, 50, 1)).node_id == node_id(1)


def test_a_reused_number_is_nobodys() -> None:
    """A process with a recorded number but another start, or of another boot, is a stranger."""
    line = (Spot(pid=100, start_ticks=999),)
    assert a_territory().find(Peer(pid=100, boot_id="boot", line=line)) == Finding()
    assert a_territory().find(a_peer(100, boot_id="other")) == Finding()


@pytest.mark.parametrize(
    "place",
    ["/user/subsessiond-7/n4", "/user/subsessiond-7/n4/below/it", "/../subsessiond-7/n4"],
)
def test_a_process_in_a_cgroup_belongs_to_its_node(place: str) -> None:
    """A process that was reparented is found by its cgroup, however that is mounted."""
    found = a_territory().find(a_peer(7, 1, cgroup=place))
    assert found == Finding(node_id=node_id(4), by_kernel=True)


@pytest.mark.parametrize("place", ["/", "/user", "/subsessiond-7", "/user/subsessiond-7/n5", "/n4"])
def test_other_cgroups_belong_to_nobody(place: str) -> None:
    """A cgroup beside those recorded says nothing."""
    assert a_territory().find(a_peer(7, 1, cgroup=place)) == Finding()


def test_a_mark_narrows_where_the_kernel_says_nothing() -> None:
    """A process that was reparented and kept its environment belongs to the node named there."""
    found = a_territory().find(a_peer(7, 1, marked=node_id(3)))
    assert found == Finding(node_id=node_id(3), by_kernel=False)


def test_a_mark_narrows_further_below_and_nowhere_else() -> None:
    """A mark of a node below is believed, one of a sibling or a parent is not."""
    territories = a_territory()
    assert territories.find(a_peer(7, 100, 1, marked=node_id(3))).node_id == node_id(3)
    assert territories.find(a_peer(7, 100, 1, marked=node_id(4))).node_id == node_id(2)
    assert territories.find(a_peer(7, 100, 1, marked=node_id(1))).node_id == node_id(2)


def test_a_mark_of_a_node_that_is_not_there_is_said() -> None:
    """The environment of another daemon's child names a node that is not in this tree."""
    found = a_territory().find(a_peer(7, 1, marked=node_id(99)))
    assert found == Finding(marked_elsewhere=True)


def test_a_stray_child_is_nobodys_and_not_a_persons() -> None:
    """A process that some child of this daemon started is a stray when nothing tells which."""
    assert a_territory().find(a_peer(7, below_daemon=True)) == Finding(stray=True)


def test_a_child_is_known_before_it_is_recorded() -> None:
    """A process that is told of at its birth is territory at once, and until its node is gone."""
    territories = Territories(a_tree([a_node(2, status=Status.CLAIMED)]))
    territories.expect(node_id(2), identity(400, 400))
    assert territories.epoch == 1
    assert territories.find(a_peer(400, 9, 1)) == Finding(node_id=node_id(2), by_kernel=True)
    gone = NodeReleased(node=node_id(2), at_ms=AT_MS)
    territories.on_events((gone,), a_tree([a_node(2, status=Status.RELEASED)]))
    assert territories.find(a_peer(400, 9, 1)) == Finding()


def test_the_mark_of_a_child_that_has_no_process_yet_proves_nothing() -> None:
    """Whoever names a node that still waits for its start is no more that node than any other."""
    territories = Territories(a_tree([a_node(2, status=Status.CLAIMED)]))
    peer = a_peer(7, below_daemon=True, marked=node_id(2))
    assert territories.find(peer) == Finding(node_id=node_id(2), by_kernel=False)


@pytest.mark.parametrize(
    "event",
    [
        ProcessNoted(node=node_id(2), identity=identity(400, 400), at_ms=AT_MS),
        NodeStarted(node=node_id(2), identity=identity(400, 400), at_ms=AT_MS),
        RootOpened(
            node=node_id(2), record=a_node(2, None, identity=identity(400, 400)), at_ms=AT_MS
        ),
        RootResumed(node=node_id(2), agent=identity(400, 400), at_ms=AT_MS),
    ],
)
def test_a_recorded_process_counts_at_once(event: AnyEvent) -> None:
    """As soon as a process is recorded it is territory, and earlier findings may not hold."""
    territories = after(event)
    assert territories.epoch == 1
    assert territories.find(a_peer(7, 400, 1)).node_id == node_id(2)


def test_a_released_childs_process_is_forgotten() -> None:
    """A child whose processes are proven gone leaves no territory; its numbers may be reused."""
    territories = after(NodeReleased(node=node_id(4), at_ms=AT_MS))
    assert territories.find(a_peer(300, 1)) == Finding()
    assert territories.find(a_peer(7, 1, cgroup="/user/subsessiond-7/n4")) == Finding()


def test_every_run_of_a_child_is_its_territory_until_it_is_released() -> None:
    """What an earlier run may have left is no less the child's, and nothing is kept for ever."""
    territories = a_territory()
    runs = [identity(400 + n, 400 + n, cgroup=f"/sys/fs/cgroup/s-7/n2.{n}") for n in range(3)]
    for run in runs:
        noted = ProcessNoted(node=node_id(2), identity=run, at_ms=AT_MS)
        territories.on_events((noted,), a_tree([*nodes()[:1], a_node(2, identity=run)]))
    for run in runs:
        assert territories.find(a_peer(7, run.pid, 1)).node_id == node_id(2)
        assert territories.find(a_peer(7, cgroup=run.cgroup)).node_id == node_id(2)
    gone = a_node(2, identity=runs[-1], status=Status.RELEASED)
    released = NodeReleased(node=node_id(2), at_ms=AT_MS)
    territories.on_events((released,), a_tree([*nodes()[:1], gone]))
    for run in runs:
        assert territories.find(a_peer(7, run.pid, 1)) == Finding()
        assert territories.find(a_peer(7, cgroup=run.cgroup)) == Finding()


def test_what_the_operator_released_stays_territory() -> None:
    """Processes that could not be proven gone stay their node's, though its claim is free."""
    territories = after(NodeReleased(node=node_id(2), by_operator=True, at_ms=AT_MS))
    assert territories.find(a_peer(7, 100, 1)).node_id == node_id(2)


def test_the_agent_of_a_closed_root_is_still_no_person() -> None:
    """Closing a root does not turn its agent into the operator, in this life or the next."""
    territories = after(NodeReleased(node=node_id(1), at_ms=AT_MS))
    assert territories.find(a_peer(7, 50, 1)).node_id == node_id(1)
    closed = a_node(1, None, identity=identity(50, 50), status=Status.RELEASED)
    assert Territories(a_tree([closed])).find(a_peer(7, 50, 1)).node_id == node_id(1)


def test_after_a_restart_only_what_is_not_gone_is_territory() -> None:
    """A daemon that starts again knows the processes of nodes that are not released."""
    gone = a_node(2, identity=identity(100, 100), status=Status.RELEASED)
    left = a_node(3, identity=identity(200, 200), status=Status.SETTLED)
    territories = Territories(a_tree([gone, left]))
    assert territories.find(a_peer(100, 1)) == Finding()
    assert territories.find(a_peer(200, 1)).node_id == node_id(3)


def test_who_was_a_root_before_is_still_that_root_in_the_next_life() -> None:
    """An agent whose root another one has taken does not become the operator by a restart."""
    former = (identity(50, 50), identity(60, 60))
    root = a_node(1, None, identity=identity(70, 70), former=former)
    territories = Territories(a_tree([root]))
    for pid in (50, 60, 70):
        assert territories.find(a_peer(7, pid, 1)).node_id == node_id(1)
