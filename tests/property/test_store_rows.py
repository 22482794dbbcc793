"""Whatever is decided, the rows written for it give back the tree that was decided."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from subsessiond.adapters.store.reader import read_node, read_tree
from subsessiond.adapters.store.schema import migrate
from subsessiond.adapters.store.touched import touched
from subsessiond.adapters.store.writer import write_batch
from subsessiond.core.indexes import restore
from subsessiond.model.brief import Grant
from subsessiond.model.node import Node, Phase, Status
from subsessiond.model.tree import Tree
from subsessiond.model.usage import Below
from subsessiond.ports import Batch
from tests.support import moves, world
from tests.support.playbook import Play, Step, play

LABELS = ("root", "a", "b", "c", "d", "e")
BEGINNING = (
    moves.open_root(),
    moves.spawn("a", role="lead", key="k"),
    world.started("a"),
    moves.spawn("b", under="a", by="a"),
    world.started("b"),
)


def once(make: Callable[..., Step], label: str, **fields: Any) -> Step:
    """Hire under a label that nobody has yet; else let nothing happen."""
    hire = make(label, **fields)
    return lambda now: now if now.id(label) in now.tree.nodes else hire(now)


labels = st.sampled_from(LABELS)
children = st.sampled_from(LABELS[1:])

working: st.SearchStrategy[Step] = st.one_of(
    st.builds(
        once, st.just(moves.spawn), children, under=labels, key=st.sampled_from((None, "k", "l"))
    ),
    st.builds(once, st.just(moves.spawn), children, under=labels, role=st.just("lead")),
    st.builds(
        once,
        st.just(moves.succeed),
        children,
        of=children,
        by=st.sampled_from(("root", moves.PERSON)),
        grant=st.sampled_from((None, Grant(tokens=500))),
    ),
    st.builds(world.started, children),
    st.builds(world.not_started, children),
    st.builds(world.noted, children),
    st.builds(moves.progress, children),
    st.builds(moves.finding, children),
    st.builds(moves.report, children),
    st.builds(moves.checkpoint, children),
    st.builds(moves.steer, children),
    st.builds(world.sign, children),
    st.builds(world.used, children, st.sampled_from((None, 3, 5, 8)), st.sampled_from((1, 9))),
    st.builds(world.gone, children),
    st.builds(moves.acknowledge, labels),
    st.builds(world.delivered, labels),
)
ending: st.SearchStrategy[Step] = st.one_of(
    st.builds(moves.final, children),
    st.builds(moves.blocked, children),
    st.builds(moves.cancel, children),
    st.builds(world.ended, children),
    st.builds(world.turn_ended, children),
    st.builds(world.gone, children, st.just("process 7")),
    st.builds(moves.release, labels),
    st.builds(moves.dismiss, children),
    st.builds(world.recover, children),
    st.builds(moves.close),
)
# Why in turns: a tree that is ended at once has nothing to tell.
steps = st.lists(working, max_size=8), st.lists(ending, max_size=3)


@given(st.lists(st.tuples(*steps), min_size=1, max_size=5))
def test_rows_give_back_the_tree(turns: list[tuple[list[Step], list[Step]]]) -> None:
    """After any decisions the rows hold every node, box and key as the tree has them."""
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as db:
        migrate(db)
        now, written = play(), Tree()
        for step in (*BEGINNING, *(step for turn in turns for part in turn for step in part)):
            now = replace(now, answered=True, events=()) >> step
            written = write(db, written, now)
        check(db, written)


def write(db: sqlite3.Connection, before: Tree, now: Play) -> Tree:
    """Write what one command did; gives the tree that is now on disk."""
    durable = tuple(event for event in now.events if event.durable)
    if not durable:
        return before
    batch = Batch(events=durable, tree=now.tree)
    write_batch(db, batch, touched(before, now.tree, durable))
    return now.tree


def check(db: sqlite3.Connection, tree: Tree) -> None:
    """Compare rows with the tree: open trees as loaded, the others node by node."""
    loaded, warnings = read_tree(db, restore)
    assert warnings == ()
    assert loaded.seq == tree.seq
    for name, node in tree.nodes.items():
        found = read_node(db, name)
        assert found is not None
        assert lasting(found) == lasting(node)
    open_roots = {n.root for n in tree.nodes.values() if n.status is not Status.RELEASED}
    here = {name for name, node in tree.nodes.items() if node.root in open_roots}
    assert set(loaded.nodes) == here
    assert dict(loaded.mail.items()) == {n: box for n, box in tree.mail.items() if n in here}
    assert dict(loaded.keys.items()) == {at: k for at, k in tree.keys.items() if k.owner in here}


def lasting(node: Node) -> Node:
    """Leave out what volatile events change: it is telemetry and reaches the disk when it can."""
    return replace(
        node,
        phase=Phase.STARTING,
        last_sign="",
        last_sign_ms=None,
        sign_awake_ms=0,
        marked_silent=False,
        refusals=0,
        measured=node.measured if node.settlement is not None else None,
        below=Below(),
    )
