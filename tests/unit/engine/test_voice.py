import asyncio
import threading
from collections.abc import Sequence
from pathlib import Path

from subsessiond.adapters.ids import RandomIds
from subsessiond.core.scrub import Scrubber
from subsessiond.engine.channels import Channels
from subsessiond.engine.voice import EngineVoice
from subsessiond.model.commands import FailStart, NoteSign
from subsessiond.model.decision import Opened
from subsessiond.model.ids import NodeId
from subsessiond.model.ledger import Part, Why
from tests.support.engines import engine
from tests.support.manual_clock import ManualClock
from tests.support.stage import stage
from tests.support.trees import node_id


async def test_a_runner_speaks_to_the_registry() -> None:
    """What a runner tells, asks and submits is decided by the registry, with both stamps."""
    async with engine() as made:
        clock, channels = ManualClock(at_ms=7, awake_ms=3), Channels()
        voice = EngineVoice(made.registry, clock, RandomIds(), channels)
        assert voice.now() == {"at_ms": 7, "awake_ms": 3}
        opened = await voice.submit(made.open_root())
        assert isinstance(opened, Opened)
        voice.tell(NoteSign(node=opened.node_id, sign="x", **voice.now()))
        assert await voice.ask(NoteSign(node=opened.node_id, sign="x", **voice.now())) is None
        assert voice.tree is made.registry.tree
        assert voice.policy is made.registry.policy
        assert not voice.has_channel(opened.node_id)
        channels.note(opened.node_id)
        await voice.channel_seen(opened.node_id)
        assert voice.has_channel(opened.node_id)


async def test_a_runner_waits_for_the_tree() -> None:
    """It goes on once something holds of a published tree, at once where it holds already."""
    async with engine() as made:
        voice = EngineVoice(made.registry, ManualClock(), RandomIds(), Channels())
        await voice.until(lambda tree: not tree.nodes)
        waiting = asyncio.create_task(voice.until(lambda tree: bool(tree.nodes)))
        await asyncio.sleep(0)
        assert not waiting.done()
        await voice.submit(made.open_root())
        await asyncio.wait_for(waiting, 10)


async def test_what_a_runner_says_of_the_outside_is_scrubbed(tmp_path: Path) -> None:
    """What is told or asked loses its secrets before it is decided on, by shape or by value."""
    async with stage(tmp_path) as here:
        here.voice.scrubber = Scrubber(["horse-battery"])
        told, asked = [await here.admit(role="worker") for _ in range(2)]
        why = "x API_KEY=abc and horse-battery"
        here.voice.tell(FailStart(node=told, why=why, **here.voice.now()))
        await here.voice.ask(FailStart(node=asked, why=why, **here.voice.now()))
        for child in (told, asked):
            said = here.node(child).settlement
            assert said is not None
            assert said.diagnostic == "x API_KEY=[removed] and [removed]"


async def test_what_takes_long_is_made_and_scrubbed_beside_the_loop(tmp_path: Path) -> None:
    """The loop goes on meanwhile; what is said loses its secrets all the same."""
    async with stage(tmp_path) as here:
        node = await here.admit(role="worker")
        threads, now = [threading.get_ident()], here.voice.now()
        loop, begun, gate = asyncio.get_running_loop(), asyncio.Event(), threading.Event()

        def end() -> FailStart:
            threads.append(threading.get_ident())
            loop.call_soon_threadsafe(begun.set)
            gate.wait(5)
            return FailStart(node=node, why="API_KEY=abc", **now)

        telling = asyncio.create_task(here.voice.tell_made(end))
        await asyncio.wait_for(begun.wait(), 5)
        assert not telling.done()
        gate.set()
        await telling
        await here.voice.until(lambda tree: not tree.nodes[node].is_live)
        said = here.node(node).settlement
        assert said is not None
        assert said.output == "API_KEY=[removed]"
        assert threads[0] != threads[1]


async def test_what_a_parent_is_prompted_with_is_counted() -> None:
    """The voice passes it on, and counts nothing where nobody does."""
    async with engine() as made:
        shown: list[tuple[NodeId, int, Sequence[Part]]] = []
        part = Part(node=node_id(2), why=Why.MAIL, size=3)
        parts = (made.registry, ManualClock(), RandomIds(), Channels())
        EngineVoice(*parts).show(node_id(1), 5, (part,))
        EngineVoice(*parts, show=lambda *told: shown.append(told)).show(node_id(1), 5, (part,))
        assert shown == [(node_id(1), 5, (part,))]
