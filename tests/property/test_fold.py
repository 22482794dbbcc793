"""The events are the whole truth: folded they give the tree, stored they are read as written."""

from random import Random
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from immutables import Map
from msgspec.structs import replace

from subsessiond.core.evolve import evolve
from subsessiond.core.indexes import restore
from subsessiond.model.events import AnyEvent, TreeForgotten
from subsessiond.model.tree import Tree
from tests.property.test_core_machine import CoreMachine
from tests.support.moves import final, finding
from tests.support.playbook import Step, play
from tests.support.world import at_work

TELEMETRY = (
    *("phase", "last_sign", "last_sign_ms", "sign_awake_ms", "marked_silent", "refusals"),
    *("measured", "below"),
)
"""What may be lost with the daemon's life; what was measured, only of those that still run."""

DERIVED = tuple(f for f in Tree.__struct_fields__ if f not in ("seq", "mail", "keys", "pace"))

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=8,
)
seeds = st.integers(0, 2**32)


class Recorder(CoreMachine):
    """A machine that keeps every event."""

    def __init__(self) -> None:
        super().__init__()
        self.history: list[AnyEvent] = []

    def play(self, step: Step) -> Any:
        """Decide one command and keep what happened."""
        reply = super().play(step)
        self.history.extend(self.now.events)
        return reply


def lived(seed: int) -> Recorder:
    """Let a random life pass."""
    machine = Recorder()
    machine.begin()
    chance = Random(seed)
    for _ in range(5):
        machine.work_for_a_day(chance.randrange(2**20))
    return machine


def folded(events: list[AnyEvent]) -> Tree:
    """Fold events into an empty tree."""
    tree = Tree()
    for event in events:
        tree = evolve(tree, event)
    return tree


@given(seed=seeds)
def test_folding_every_event_gives_the_tree(seed: int) -> None:
    """From nothing, in order, also after each of them was written as JSON and read back."""
    machine = lived(seed)
    assert folded(machine.history) == machine.now.tree
    encoded = [msgspec.json.encode(event) for event in machine.history]
    decoded = [msgspec.json.decode(line, type=AnyEvent) for line in encoded]
    assert decoded == machine.history
    assert folded(decoded) == machine.now.tree


@given(seed=seeds)
def test_durable_events_alone_give_all_but_telemetry(seed: int) -> None:
    """What is not stored is only how somebody was last seen; their numbers have no gap."""
    machine = lived(seed)
    durable = [event for event in machine.history if event.durable]
    assert [event.seq for event in durable] == list(range(1, len(durable) + 1))
    kept = [e for e in machine.history if e.durable or isinstance(e, TreeForgotten)]
    tree, whole = folded(kept), machine.now.tree
    assert set(tree.nodes) == set(whole.nodes)
    for name, node in tree.nodes.items():
        if node.settlement is not None:
            assert node.measured == whole.nodes[name].measured
        seen = {field: getattr(whole.nodes[name], field) for field in TELEMETRY}
        assert replace(node, **seen) == whole.nodes[name]
    for field in ("seq", "mail", "keys", "live", "lent", "claims", "children"):
        assert getattr(tree, field) == getattr(whole, field)


@given(seed=seeds)
def test_indexes_are_rebuilt_from_the_nodes_alone(seed: int) -> None:
    """Restored in order of their ids, nodes give every count and index; only the pace is new."""
    whole = lived(seed).now.tree
    tree = Tree()
    for name in sorted(whole.nodes):
        node = msgspec.json.decode(
            msgspec.json.encode(whole.nodes[name]), type=type(whole.nodes[name])
        )
        tree = restore(tree, node)
    for field in DERIVED:
        assert getattr(tree, field) == getattr(whole, field), field
    assert tree.pace == Map()


@given(structured=JSON.filter(lambda value: value is not None), text=st.text(min_size=1))
@pytest.mark.parametrize("verb", [final, finding])
def test_whatever_a_report_holds_is_read_back(verb: Any, structured: Any, text: str) -> None:
    """Any JSON and any text a child may send survive the store."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return
    now = at_work(play(), "w", report_tokens=8_000)
    now = now >> verb("w", text, structured=structured, sections={text: text})
    for event in now.events:
        assert msgspec.json.decode(msgspec.json.encode(event), type=AnyEvent) == event
