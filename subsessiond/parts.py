"""Parts that are made from settings and hold something of the system: the store, the containers."""

import asyncio
import os
import shutil
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from importlib.util import find_spec
from pathlib import Path

import structlog

from subsessiond.adapters.journals import FileJournals
from subsessiond.adapters.lock import StateLock
from subsessiond.adapters.notifier import DesktopNotifier
from subsessiond.adapters.processes import (
    LinuxProcesses,
    PortableProcesses,
    child_environment,
    find_program,
)
from subsessiond.adapters.runners.acp.runner import AcpRunner
from subsessiond.adapters.runners.agentprocess import Address, Host
from subsessiond.adapters.runners.claude.runner import ClaudeRunner
from subsessiond.adapters.runners.command import CommandRunner
from subsessiond.adapters.runners.external import ExternalRunner, watch_left
from subsessiond.adapters.runners.jsonl.runner import LinesRunner
from subsessiond.adapters.runners.model.runner import ModelRunner
from subsessiond.adapters.runners.model.runner import problem_of as model_problem
from subsessiond.adapters.runners.plan import PlanRunner
from subsessiond.adapters.runners.scratch import drop_scratch
from subsessiond.adapters.runners.scripted import ScriptedRunner
from subsessiond.adapters.store import SqliteStore
from subsessiond.adapters.transcripts import FileTranscripts
from subsessiond.core.scrub import Scrubber
from subsessiond.engine.executor import Environment
from subsessiond.engine.ledger import Ledger
from subsessiond.engine.notices import Notices
from subsessiond.engine.recovery import recover
from subsessiond.engine.registry import Registry
from subsessiond.model.node import Node
from subsessiond.model.process import Identity, ProcessFault
from subsessiond.model.role import AgentProfile
from subsessiond.model.tree import Tree
from subsessiond.ports import (
    ChildTools,
    Clock,
    IdSource,
    Runner,
    StoreFault,
    Transcripts,
    Voice,
    Workspace,
)
from subsessiond.rpc.schema import schema_fault
from subsessiond.rpc.socketfile import SocketFault
from subsessiond.settings import Settings
from subsessiond.settings.daemon import NotifyChoice

MIB = 1024 * 1024

SCRATCH = "scratch"
"""Folder of the state directory that holds a folder for each child, while it runs."""

FAULTS = (StoreFault, SocketFault, ProcessFault, OSError)
"""What ends a daemon without being a bug of it."""

AnyProcesses = LinuxProcesses | PortableProcesses

logger = structlog.get_logger(__name__)


def open_store(
    settings: Settings, lock: StateLock, parts: AsyncExitStack
) -> tuple[SqliteStore, FileJournals]:
    """Make the store and the journals, which mend each other; both are closed with `parts`."""

    async def journal_nodes(workspaces: tuple[str, ...]) -> tuple[Node, ...]:
        return await journals.rebuild(workspaces)  # only asked of a store that needs mending

    store = SqliteStore(
        settings.state_dir, guard=lock.check, journal_nodes=journal_nodes, warn=_warn
    )
    journals = FileJournals(refill=store.kept_lines, warn=_warn)
    parts.push_async_callback(store.aclose)
    parts.push_async_callback(journals.aclose)
    return store, journals


def open_processes(settings: Settings, platform: str = sys.platform) -> AnyProcesses:
    """Make the containers of this system; where there are none, the log says what that costs.

    Raises:
        ProcessFault: the kind that was asked for does not work here.
    """
    if platform == "linux":
        return LinuxProcesses(container=settings.container, term_grace_ms=settings.term_grace_ms)
    if settings.container is not None:
        raise ProcessFault(f"this system has no containers of kind {settings.container!r}")
    processes = PortableProcesses(term_grace_ms=settings.term_grace_ms)
    for words in processes.missing:
        logger.warning("this system has no containers", missing=words)
    return processes


@asynccontextmanager
async def noticing(
    settings: Settings, registry: Registry, clock: Clock, scrubber: Scrubber
) -> AsyncIterator[None]:
    """Tell the person on her desktop what she asked to be told, for the length of a block."""
    if settings.notify is NotifyChoice.NONE:
        yield
        return
    program = shutil.which("notify-send")
    if program is None:
        logger.warning("no notices are shown", missing="notify-send")
        yield
        return
    ends = settings.notify is NotifyChoice.ALL
    notifier = DesktopNotifier(program)
    notices = Notices(registry.tree, notifier, clock, scrubber.scrub, ends=ends)
    forget = registry.listen(notices.on_events)
    task = asyncio.create_task(notices.run(), name="notices")
    try:
        yield
    finally:
        forget()
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


def open_transcripts(
    settings: Settings, clock: Clock, ledger: Ledger, parts: AsyncExitStack
) -> FileTranscripts:
    """Make what keeps transcripts; what waits is written when `parts` closes."""
    transcripts = FileTranscripts(settings.state_dir / "transcripts", clock, ledger.stream)
    parts.push_async_callback(transcripts.aclose)
    return transcripts


def pruner(settings: Settings, transcripts: FileTranscripts) -> Callable[[], Awaitable[None]]:
    """Make what lets old transcripts go, as the settings have it."""

    async def prune() -> None:
        days, most = settings.transcripts_keep_days, settings.transcripts_most_mib * MIB
        if removed := await transcripts.prune(days, most):
            logger.info("old transcripts were removed", transcripts=removed)

    return prune


def environment_maker(settings: Settings) -> Environment:
    """Make what gives each child its environment: what may pass, its identity, our commands."""

    def environment(
        node: Node, token: str, extra: tuple[tuple[str, str], ...]
    ) -> tuple[tuple[str, str], ...]:
        return child_environment(
            os.environ,
            allow=settings.pass_environment,
            extra=dict(extra),
            node_id=node.node_id,
            token=token,
            socket=str(settings.socket),
            bin_dir=str(Path(sys.executable).parent),
        )

    return environment


def open_runners(
    settings: Settings,
    processes: AnyProcesses,
    transcripts: Transcripts,
    ids: IdSource,
    workspace: Workspace,
    tools: ChildTools,
    mcp_address: Address,
) -> dict[str, Runner]:
    """Make what starts children, by the word that profiles name it with."""
    host = Host(
        processes=processes,
        transcripts=transcripts,
        shim=shim_command(settings.socket),
        socket=str(settings.socket),
        scratch=settings.state_dir / SCRATCH,
        mcp_address=mcp_address,
    )
    return {
        "command": CommandRunner(processes, transcripts),
        "scripted": ScriptedRunner(ids, workspace, schema_fault),
        "plan": PlanRunner(ids, workspace),
        "jsonl": LinesRunner(host, schema_fault),
        "acp": AcpRunner(host),
        "claude": ClaudeRunner(host),
        "model": ModelRunner(processes, tools, transcripts),
        "external": ExternalRunner(processes.guests, transcripts, settings.term_grace_ms),
    }


async def recover_all(
    registry: Registry, processes: AnyProcesses, clock: Clock, voice: Voice
) -> None:
    """Settle what an earlier life left, and go on watching what was not ours to end."""
    found = await recover(registry, processes, clock)
    watch_guests(processes, registry.tree, voice)
    logger.info("recovered", children=len(found), nodes=len(registry.tree.nodes))


def watch_guests(processes: AnyProcesses, tree: Tree, voice: Voice) -> None:
    """Go on watching what people attached and an earlier life of the daemon left running."""
    watch_left(processes.guests, tree, voice)


def chores(
    settings: Settings, transcripts: FileTranscripts, processes: AnyProcesses
) -> tuple[Callable[[], Awaitable[None]], Callable[[Identity], bool]]:
    """Give what the ticker calls: what lets old things go, and what tells who still runs."""
    return pruner(settings, transcripts), watcher(processes)


def watcher(processes: AnyProcesses) -> Callable[[Identity], bool]:
    """Give what tells whether a process that somebody else started still runs."""

    def runs(identity: Identity) -> bool:
        guest = processes.guests.watch(identity) if processes.guests is not None else None
        if guest is None:
            return False
        guest.close()
        return True

    return runs


def problem_of(profile: AgentProfile) -> str:
    """Say what this machine lacks for an agent, as far as it is known before a child starts."""
    if profile.runner == "model":
        return model_problem(profile, os.environ)
    if profile.command and _is_started(profile) and not program_of(profile):
        return f"there is no program {_name_of(profile)!r} on the daemon's PATH"
    return ""


def program_of(profile: AgentProfile) -> str:
    """Name the program that children of an agent are; empty where there is none."""
    if not profile.command or not _is_started(profile):
        return ""
    name = _name_of(profile)
    if "{" in name or ("/" in name and not name.startswith("/")):
        return name  # it is another for each child: in its folder, or in its workspace
    return find_program(name, os.environ, dict(profile.env))


def _name_of(profile: AgentProfile) -> str:
    return profile.program or profile.command[0]


def _is_started(profile: AgentProfile) -> bool:
    # Why not the scripted: what it names is no program but a script for one.
    return profile.runner not in ("scripted", "external", "model", "plan")


def clear_scratch(settings: Settings) -> None:
    """Remove the folders that children of a killed daemon left; they are about to be ended."""
    drop_scratch(settings.state_dir / SCRATCH)


def shim_command(socket: Path) -> tuple[str, ...]:
    """Give the command line by which an agent starts our MCP server.

    Why found and not imported: the daemon does not know its clients, and needs no more of this one
    than where it lies. Why so bare: nothing of the user's environment may slow or change it.

    Raises:
        FileNotFoundError: the client package is not installed beside the daemon.
    """
    found = find_spec("subsession")
    if found is None or found.origin is None:
        raise FileNotFoundError("the package subsession is not installed beside the daemon")
    shim = Path(found.origin).with_name("shim.py")
    return (sys.executable, "-I", "-S", str(shim), str(socket))


def cause_of(group: BaseExceptionGroup[BaseException]) -> BaseException:
    """Give the fault that ended the daemon, where all that ended is faults; else the bugs."""
    known, unknown = group.split(FAULTS)
    if known is None or unknown is not None:
        logger.critical("a bug ended the daemon", exc_info=group)
        return group
    fault = known.exceptions[0]
    while isinstance(fault, BaseExceptionGroup):
        fault = fault.exceptions[0]
    logger.critical("a fault ended the daemon", fault=str(fault))
    return fault


def _warn(words: str) -> None:
    logger.warning("warning", words=words)
