"""The composition root: every part is made here, once, and bound to the others."""

import asyncio
import os
import signal
from contextlib import AsyncExitStack
from functools import partial

import structlog

from subsessiond import __version__, log
from subsessiond.adapters.clock import SystemClock
from subsessiond.adapters.ids import RandomIds
from subsessiond.adapters.lock import StateLock
from subsessiond.adapters.peers import system_peers
from subsessiond.adapters.processes import LinuxProcesses
from subsessiond.adapters.store import SqliteStore
from subsessiond.adapters.workspace import DiskWorkspace
from subsessiond.core.indexes import restore
from subsessiond.core.scrub import Scrubber
from subsessiond.engine.channels import Channels
from subsessiond.engine.executor import Executor
from subsessiond.engine.journaling import Journaling
from subsessiond.engine.ledger import Ledger, counting
from subsessiond.engine.registry import Registry
from subsessiond.engine.shutdown import end_children
from subsessiond.engine.ticker import Ticker
from subsessiond.engine.tokens import Tokens
from subsessiond.engine.voice import EngineVoice
from subsessiond.engine.waiting import Waiting
from subsessiond.model.policy import Policy
from subsessiond.parts import (
    FAULTS,
    AnyProcesses,
    cause_of,
    chores,
    clear_scratch,
    environment_maker,
    noticing,
    open_processes,
    open_runners,
    open_store,
    open_transcripts,
    problem_of,
    program_of,
    recover_all,
)
from subsessiond.ports import Runner
from subsessiond.rpc.caller import Callers
from subsessiond.rpc.desk import About, Desk, open_desk
from subsessiond.rpc.granting import Granting
from subsessiond.rpc.loopback import mcp_address, serve_mcp
from subsessiond.rpc.mcp.inprocess import InProcessTools
from subsessiond.rpc.mcp.session import Session
from subsessiond.rpc.mcp.toolbox import Toolbox
from subsessiond.rpc.methods import handlers
from subsessiond.rpc.server import RpcServer
from subsessiond.rpc.showing import showing
from subsessiond.rpc.tcp.listener import TcpListener
from subsessiond.rpc.territories import Territories
from subsessiond.settings import Settings, load_policy

STREAMS_MS = 800
"""How long calls under way may go on once the daemon stops."""

STOP_SIGNALS = (signal.SIGTERM, signal.SIGINT)
"""Ask the daemon to stop; whoever starts it may block them until it can hear."""

CHILDREN_S = 15.0
"""How long stopping all children may take: their graces, and some for a busy machine."""

logger = structlog.get_logger(__name__)


async def serve(settings: Settings, *, foreground: bool = False) -> int:
    """Serve until told to stop; returns the exit status.

    Raises:
        StateHeldFault: the state directory is another daemon's.
        StoreFault: the state directory cannot be used, or not any longer.
        SocketFault: something else stands where the socket belongs.
    """
    path = None if foreground else settings.state_dir / "daemon.log"
    scrubber = Scrubber(settings.secrets.values)
    with StateLock.take(settings.state_dir) as lock, log.writing(path, scrub=scrubber.scrub):
        try:
            return await Daemon(settings, lock, scrubber).run()
        except BaseExceptionGroup as group:
            raise cause_of(group) from group
        except FAULTS as fault:
            logger.critical("a fault ended the daemon", fault=str(fault))
            raise


class Daemon:
    """One life of the daemon."""

    def __init__(self, settings: Settings, lock: StateLock, scrubber: Scrubber) -> None:
        self._settings = settings
        self._scrubber = scrubber
        self._lock = lock
        self._clock = SystemClock()
        self._ids = RandomIds()
        self._tokens = Tokens()
        self._channels = Channels()
        self._tools = InProcessTools()
        self._listener = TcpListener(settings.tcp_port, logger)
        kept = settings.passphrase
        check = None if kept is None else kept.is_it
        self._granting = Granting(check, self._clock.awake_ms)
        self._stop = asyncio.Event()
        self._hurry = asyncio.Event()
        self._started_at_ms = self._clock.wall_ms()

    async def run(self) -> int:
        """Serve until told to stop, then end every child and leave nothing behind."""
        self._hear_signals()
        async with AsyncExitStack() as parts:
            store, self._journals = open_store(self._settings, self._lock, parts)
            processes = open_processes(self._settings)
            parts.push_async_callback(processes.aclose)
            self._containers = processes.kind
            workspace = DiskWorkspace(fold_case=self._settings.policy.fold_case)
            parts.callback(workspace.close)
            self._ledger = Ledger(store, self._clock)
            self._transcripts = open_transcripts(self._settings, self._clock, self._ledger, parts)
            executor = Executor(
                self._runners(processes, workspace),
                self._clock,
                self._ids,
                self._tokens,
                environment_maker(self._settings),
            )
            loaded = await store.load(restore)
            for warning in loaded.warnings:
                logger.warning("store", warning=warning)
            for warning in self._settings.secrets.warnings:
                logger.warning("secrets", warning=warning)
            self._ids.go_on_after(loaded.tree.nodes)
            self._agents = loaded.agents
            registry = Registry(loaded.tree, self._settings.policy, store, executor.perform)
            registry.listen(self._tokens.on_events)
            registry.listen(self._channels.on_events)
            notices = noticing(self._settings, registry, self._clock, self._scrubber)
            async with notices, counting(self._ledger, registry):
                await self._serve(registry, store, executor, processes, workspace)
        return 0

    async def _serve(
        self,
        registry: Registry,
        store: SqliteStore,
        executor: Executor,
        processes: AnyProcesses,
        workspace: DiskWorkspace,
    ) -> None:
        journaling = Journaling(self._journals, store)
        voice = self._voice(registry)
        waiting = Waiting(registry)
        territories = Territories(registry.tree, self._agents)
        if isinstance(processes, LinuxProcesses):
            processes.on_birth(territories.expect)
        server = self._server(registry, store, waiting, workspace, territories, journaling)
        async with AsyncExitStack() as last, asyncio.TaskGroup() as tasks:
            # Why also here: a fault that ends the daemon must not leave its socket behind.
            last.push_async_callback(server.stop, STREAMS_MS)
            executor.bind(registry, journaling, voice, tasks)
            tasks.create_task(registry.run(), name="registry")
            tasks.create_task(journaling.run(), name="journaling")
            await journaling.catch_up()
            # Why before: recovering may start a successor, which gets a folder of its own there.
            await asyncio.to_thread(clear_scratch, self._settings)
            await recover_all(registry, processes, self._clock, voice)
            regular = chores(self._settings, self._transcripts, processes)
            ticker = Ticker(registry, self._clock, store, *regular)
            ticking = tasks.create_task(ticker.run(), name="ticker")
            if not self._stop.is_set():
                await server.start(self._settings.socket, holds_lock=True)
                logger.info("serving", socket=str(self._settings.socket), pid=os.getpid())
            await self._stop.wait()
            registry.close()
            waiting.close()
            await server.stop(STREAMS_MS)
            await self._end_children(registry, executor)
            ticking.cancel()
            registry.stop()
            journaling.stop()
        logger.info("stopped")

    def _runners(self, processes: AnyProcesses, workspace: DiskWorkspace) -> dict[str, Runner]:
        settings, transcripts, ids = self._settings, self._transcripts, self._ids
        address, tools = partial(mcp_address, self._listener), self._tools
        return open_runners(settings, processes, transcripts, ids, workspace, tools, address)

    async def _end_children(self, registry: Registry, executor: Executor) -> None:
        """Stop all children; a second signal shortens the waiting, not the record."""
        async with asyncio.TaskGroup() as tasks:
            hurrying = tasks.create_task(self._kill_when_hurried(executor))
            if not await end_children(registry, executor, self._clock, CHILDREN_S):
                logger.error("children were still being stopped when the daemon ended")
                executor.abandon()
            hurrying.cancel()

    async def _kill_when_hurried(self, executor: Executor) -> None:
        await self._hurry.wait()
        executor.kill()

    def _server(
        self,
        registry: Registry,
        store: SqliteStore,
        waiting: Waiting,
        workspace: DiskWorkspace,
        territories: Territories,
        journaling: Journaling,
    ) -> RpcServer:
        callers = self._callers(registry, territories)
        changes, feed, rows = open_desk(registry, territories.on_events, self._ledger)
        desk = Desk(
            registry=registry,
            waiting=waiting,
            clock=self._clock,
            ids=self._ids,
            workspace=workspace,
            journals=self._journals,
            store=store,
            tokens=self._tokens,
            channels=self._channels,
            about=self._about(),
            changes=changes,
            feed=feed,
            rows=rows,
            peer_of=callers.peer_of,
            runs=callers.runs,
            shutdown=self._stop.set,
            reload=lambda: self._reload(registry),
            settle_journals=journaling.settle,
            transcripts=self._transcripts,
            ledger=self._ledger,
            scrubber=self._scrubber,
            problem_of=problem_of,
            program_of=program_of,
            granting=self._granting,
            port=lambda: self._listener.port,
        )
        return self._rpc(desk, registry, callers)

    def _rpc(self, desk: Desk, registry: Registry, callers: Callers) -> RpcServer:
        methods = handlers(desk)
        toolbox = self._tools.bind(Toolbox(desk, methods, logger))
        serve_mcp(self._listener, toolbox, registry, self._tokens.node_of)
        session = partial(Session, toolbox)
        return RpcServer(showing(desk, methods), callers.identify, logger, session, self._listener)

    def _voice(self, registry: Registry) -> EngineVoice:
        clock, ids, show = self._clock, self._ids, self._ledger.show
        return EngineVoice(registry, clock, ids, self._channels, self._scrubber, show)

    def _callers(self, registry: Registry, territories: Territories) -> Callers:
        for node in registry.tree.nodes.values():
            self._tokens.remember(node.node_id, node.token_hash if node.is_live else "")
        return Callers(
            system_peers(bridges_alone=self._settings.bridges_alone),
            territories,
            lambda: registry.tree,
            self._tokens.node_of,
            headless=self._settings.headless,
        )

    def _about(self) -> About:
        return About(
            version=__version__,
            pid=os.getpid(),
            started_at_ms=self._started_at_ms,
            socket=str(self._settings.socket),
            state_dir=str(self._settings.state_dir),
            config_dir=str(self._settings.config_dir),
            containers=self._containers,
        )

    async def _reload(self, registry: Registry) -> Policy:
        """Read the tables anew; live children keep what they were admitted with."""
        registry.policy = await asyncio.to_thread(load_policy, self._settings.config_dir)
        return registry.policy

    def _hear_signals(self) -> None:
        loop = asyncio.get_running_loop()
        for number in STOP_SIGNALS:
            loop.add_signal_handler(number, self._on_signal)
        # Why only now: one that came while the program was being loaded is heard like any other.
        signal.pthread_sigmask(signal.SIG_UNBLOCK, STOP_SIGNALS)

    def _on_signal(self) -> None:
        """The first signal stops the daemon, the second one shortens the waiting."""
        if self._stop.is_set():
            self._hurry.set()
        self._stop.set()
