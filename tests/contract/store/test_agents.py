"""Agents and bridges outlive the trees they were roots of, in every store."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from subsessiond.core.indexes import restore
from subsessiond.model.events import AnyEvent, RootJoined, RootResumed
from subsessiond.ports import Store
from tests.support.ledger import Ledger, State, opened, released, root, settled
from tests.support.memory_store import MemoryStore
from tests.support.trees import AT_MS
from tests.support.world import IDENTITY

AGENT = replace(IDENTITY, container="agent", pid=50)
MOTHER = replace(root(1), identity=AGENT)
SECOND = replace(AGENT, pid=60)
BRIDGE = replace(AGENT, container="bridge", pid=70)
SCRIPT = root(2)


async def tell(store: Store) -> None:
    """Let there be roots, agents that come to one of them, and its end."""
    ledger = Ledger(store, (await store.load(restore)).tree)
    await ledger.commit(opened(MOTHER), opened(SCRIPT))
    joined = RootJoined(node=MOTHER.node_id, bridge=BRIDGE, at_ms=AT_MS)
    resumed: AnyEvent = RootResumed(node=MOTHER.node_id, agent=SECOND, at_ms=AT_MS)
    await ledger.commit(joined, resumed)
    await ledger.commit(settled(MOTHER.node_id))
    await ledger.commit(released(MOTHER.node_id))


@pytest.mark.parametrize("kind", ["sqlite", "memory"])
async def test_they_come_back_in_their_order_though_their_root_does_not(
    kind: str, tmp_path: Path
) -> None:
    """A root without an agent has none; a closed one is not loaded, and its agents are told."""
    state = State(tmp_path / "state")
    kept = MemoryStore()
    try:
        await tell(state.store() if kind == "sqlite" else kept)
        if kind == "sqlite":
            await state.aclose()
            state = State(tmp_path / "state")
        loaded = await (state.store() if kind == "sqlite" else kept).load(restore)
    finally:
        await state.aclose()
    assert set(loaded.tree.nodes) == {SCRIPT.node_id}
    known = (AGENT, BRIDGE, SECOND)
    assert loaded.agents == tuple((MOTHER.node_id, one) for one in known)
