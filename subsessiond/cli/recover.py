"""`subsessiond recover`: what a start would do before it serves, and nothing more."""

import argparse
import asyncio
import os
from contextlib import AsyncExitStack
from typing import NamedTuple

from subsessiond import log
from subsessiond.adapters.clock import SystemClock
from subsessiond.adapters.lock import StateLock
from subsessiond.cli.exits import DONE, Ended, faults_told
from subsessiond.core.indexes import restore
from subsessiond.engine import recovery
from subsessiond.engine.journaling import Journaling
from subsessiond.engine.registry import Registry
from subsessiond.model.effects import AnyEffect, AppendJournal
from subsessiond.model.node import Node
from subsessiond.parts import open_processes, open_store
from subsessiond.settings import Settings, load


class Found(NamedTuple):
    """What a recovery met and did."""

    warnings: tuple[str, ...]
    """What the store said about itself."""
    nodes: tuple[Node, ...]
    """The children that were not released, as they are now."""
    roots: int
    lines: int
    """Journal lines that are still to be written."""


def recover(options: argparse.Namespace) -> int:
    """End by proven identity what an earlier daemon left, settle it, and say so."""
    try:
        with faults_told():
            settings = load(
                os.environ,
                state_dir=options.state_dir,
                socket=options.socket,
                config_dir=options.config_dir,
            )
            if not settings.state_dir.is_dir():
                print(f"there is nothing in {settings.state_dir}: no daemon ever served it")
                return DONE
            found = asyncio.run(recover_offline(settings))
    except Ended as ended:
        return ended.status
    for line in words_of(settings, found):
        print(line)
    return DONE


async def recover_offline(settings: Settings) -> Found:
    """Recover a state directory that no daemon serves, and leave it ready for the next one.

    Raises:
        StateHeldFault: a daemon serves it; it has recovered it already.
        StoreFault: it cannot be used.
    """
    path = settings.state_dir / "daemon.log"
    with StateLock.take(settings.state_dir) as lock, log.writing(path):
        async with AsyncExitStack() as parts:
            store, journals = open_store(settings, lock, parts)
            processes = open_processes(settings)
            parts.push_async_callback(processes.aclose)
            loaded = await store.load(restore)
            journaling = Journaling(journals, store)

            def perform(effect: AnyEffect) -> None:
                # Why lines alone: nothing is started here, and what ran has been ended already.
                if isinstance(effect, AppendJournal):
                    journaling.add(effect)

            registry = Registry(loaded.tree, settings.policy, store, perform)
            async with asyncio.TaskGroup() as tasks:
                tasks.create_task(registry.run())
                tasks.create_task(journaling.run())
                await journaling.catch_up()
                left = await recovery.recover(registry, processes, SystemClock())
                registry.stop()
                journaling.stop()
            tree = registry.tree
            return Found(
                warnings=loaded.warnings,
                nodes=tuple(tree.nodes[node.node_id] for node in left),
                roots=sum(1 for node in tree.nodes.values() if node.is_root and node.is_live),
                lines=len(await store.unsynced_lines()),
            )


def words_of(settings: Settings, found: Found) -> tuple[str, ...]:
    """Say what was found, a line each."""
    lines = [f"state directory  {settings.state_dir}"]
    lines += [f"store            {warning}" for warning in found.warnings]
    lines.append(f"open roots       {found.roots}")
    lines += [_of_node(node) for node in found.nodes]
    if not found.nodes:
        lines.append("nothing was left to recover")
    if found.lines:
        lines.append(f"journal lines    {found.lines} are still to be written")
    return tuple(lines)


def _of_node(node: Node) -> str:
    said = node.settlement
    how = f"{said.outcome} ({said.reason})" if said is not None else str(node.status)
    title = " ".join(node.title.split())
    words = f"child            {node.node_id} {how}, {node.status}: {title!r}"
    return words + "".join(f"\n                 left: {left}" for left in node.leftovers)
