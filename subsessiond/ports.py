"""What the engine needs of the world: one Protocol a need, shapes only.

Real parts stand in `subsessiond.adapters`; fakes stand in the tests. One contract suite holds both.
"""

from collections.abc import Callable
from socket import socket
from typing import Any, Protocol, TypedDict

from subsessiond.model.base import Value
from subsessiond.model.brief import FieldFault
from subsessiond.model.commands import ClientCommand, Command
from subsessiond.model.decision import Reply
from subsessiond.model.events import AnyEvent
from subsessiond.model.ids import MessageId, NodeId
from subsessiond.model.message import MessageState
from subsessiond.model.node import Node
from subsessiond.model.peer import Peer
from subsessiond.model.policy import Policy
from subsessiond.model.process import Exit, Identity, Launch, Stopped
from subsessiond.model.rejection import Rejection
from subsessiond.model.role import AgentProfile
from subsessiond.model.tree import Tree


class StoreFault(Exception):
    """The store could not do what was asked; nothing of the batch is true.

    Attributes:
        fatal: This store cannot be trusted any more: the daemon ends, and its next start mends
            what can be mended. Otherwise the same batch may be tried again.
    """

    def __init__(self, message: str, *, fatal: bool = False) -> None:
        super().__init__(message)
        self.fatal = fatal


class RunnerFault(Exception):
    """One child cannot be run; says doing what, and why, in a person's words."""


class WorkspaceFault(Exception):
    """A workspace cannot be used; says which and why."""


class WorkspaceBusy(WorkspaceFault):
    """Nobody could look at a folder just now, which says nothing of the folder."""


class ConfigFault(Exception):
    """A configuration file cannot be used.

    Args:
        place: Which file, table and word.
        problem: What is wrong there.
    """

    def __init__(self, place: str, problem: str) -> None:
        super().__init__(f"{place}: {problem}")
        self.place = place
        self.problem = problem


class Clock(Protocol):
    """Time, for the edge alone."""

    def wall_ms(self) -> int:
        """Milliseconds since 1970."""

    def awake_ms(self) -> int:
        """Milliseconds in which this daemon and the machine were awake; never jumps."""

    async def sleep(self, ms: int) -> None:
        """Return after so many awake milliseconds."""


class IdSource(Protocol):
    """New names."""

    def node_id(self) -> NodeId:
        """A name never given before, later in order than all given before."""

    def token(self) -> str:
        """A secret of at least 128 bits."""


class JournalLine(Value, frozen=True, kw_only=True):
    """One line of a node's journal, before it has a checksum."""

    node_id: NodeId
    workspace: str
    n: int
    """Line number, from 1."""
    at_ms: int
    kind: str
    body: dict[str, Any]


class Loaded(Value, frozen=True, kw_only=True):
    """What a store holds when the daemon starts."""

    tree: Tree
    warnings: tuple[str, ...] = ()


class Batch(Value, frozen=True, kw_only=True):
    """One transaction."""

    events: tuple[AnyEvent, ...]
    """Durable ones only, numbered without gaps after the last commit."""
    tree: Tree
    """The tree after them: snapshots of touched nodes, mail and keys are taken from it."""
    lines: tuple[JournalLine, ...] = ()
    """Journal lines these events cause; kept until they are synced in their files."""


class Store(Protocol):
    """The registry on disk: one writer, one transaction at a time."""

    async def load(self, fold: Callable[[Tree, Node], Tree]) -> Loaded:
        """Give back the last committed tree; `fold` adds one node with its indexes.

        Only trees with something unreleased are given back; `node` reads the others. A broken
        store is set aside and rebuilt first, and the warnings say so.

        Raises:
            StoreFault: it may not be read, is newer than this program, or is held by another.
        """

    async def commit(self, batch: Batch) -> None:
        """Make a batch durable, all or nothing. One at a time: never before the last has ended.

        A node that left the tree (because its root is closed) keeps its last snapshot.

        Raises:
            StoreFault: nothing of it is true; unless it is fatal, the batch may be tried again.
            ValueError: the events do not follow the last commit without a gap.
        """

    async def events_after(self, seq: int, limit: int) -> tuple[AnyEvent, ...]:
        """Read events with a greater number, oldest first, at most `limit`."""

    async def moved(
        self, mailboxes: tuple[NodeId, ...], message_id: MessageId
    ) -> MessageState | None:
        """Tell to which state a message was moved last in one of these mailboxes.

        None where it was not, or where the history was lost with an earlier store.
        """

    async def node(self, node_id: NodeId) -> Node | None:
        """Read a node that is not kept in memory any more."""

    async def unsynced_lines(self) -> tuple[JournalLine, ...]:
        """Read the journal lines that may not stand in their files yet."""

    async def kept_lines(self, node_id: NodeId) -> tuple[JournalLine, ...]:
        """Read the journal lines of one node that are still kept: all unsynced, the last three."""

    async def lines_synced(self, lines: tuple[tuple[NodeId, int], ...]) -> None:
        """Note that these journal lines are safe in their files."""

    def room(self) -> bool:
        """Tell whether the disk has room for more than what is under way already."""

    backup_due: bool
    """Whether the newest backup was more than a day old when the store was loaded."""

    async def backup(self) -> None:
        """Take a backup now; commits go on beside it.

        Raises:
            StoreFault: no backup could be taken; the store itself is not concerned.
        """

    async def aclose(self) -> None:
        """Close; idempotent."""


class JournalRecord(Value, frozen=True, kw_only=True):
    """One line as read back."""

    n: int
    at_ms: int
    kind: str
    body: dict[str, Any]
    damaged: bool = False
    """The checksum does not fit; `body` is what could be read, maybe empty."""


class Journals(Protocol):
    """The readable record of each child, in its workspace."""

    async def append(self, lines: tuple[JournalLine, ...]) -> tuple[tuple[NodeId, int], ...]:
        """Write lines and sync their files; gives back those that are safe.

        Line `n` stands in line `n` of its file, always. Lines already there (same number and
        content) count as safe and are not written twice. One that cannot be written is left
        out, with a warning to the operator; trying it again helps only after something changed.
        """

    async def read(
        self, workspace: str, node_id: NodeId, first: int, limit: int
    ) -> tuple[JournalRecord, ...]:
        """Read lines `first` and on; empty where there is no journal."""


TranscriptData = bytes | str | dict[str, Any]


class TranscriptEntry(Value, frozen=True, kw_only=True):
    """One piece of a transcript as read back."""

    n: int
    """Its number, from 1; numbers that are missing were dropped."""
    at_ms: int
    kind: str
    text: str
    """What was written; a dictionary as one line of JSON."""
    more: bool = False
    """The next piece goes on with the same line or dictionary."""


class TranscriptPage(Value, frozen=True, kw_only=True):
    """Part of a transcript."""

    entries: tuple[TranscriptEntry, ...]
    upto: int
    """Number to go on after."""
    more: bool = False
    """More was written already than what is given here."""


class Transcript(Protocol):
    """What went between the daemon and one child, for the operator alone.

    All of it is for the event loop's thread only.
    """

    @property
    def total_bytes(self) -> int:
        """All that was given to `write`, kept or dropped: what the child produced, and was told."""

    def write(self, kind: str, data: TranscriptData) -> None:
        """Keep a piece; never blocks and never raises. What finds no room is dropped and counted.

        Args:
            kind: `in` (said to the child), `out` and `err` (what it printed), `note` (our words).
            data: Bytes are a stream: per kind they are made into whole lines, however they were
                chunked; a last line without its end is kept when this is closed. A text or a
                dictionary is a line of its own.
        """

    def lose(self, count: int) -> None:
        """Note that so many bytes never came this far; lines they belonged to are not kept."""

    def close(self) -> None:
        """Give back what it holds once all before is written; idempotent."""


class Transcripts(Protocol):
    """The transcripts of this daemon's children."""

    def open(self, node_id: NodeId) -> Transcript:
        """Go on with a child's transcript, or begin it; never blocks and never raises."""

    async def read(
        self, node_id: NodeId, after: int | None, limit_bytes: int, before_bytes: int = 0
    ) -> TranscriptPage:
        """Read pieces with greater numbers, oldest first; the newest there are where none is named.

        Nothing where there is no transcript. Scrubs nothing: who shows them needs to see what
        stands before them, which is so many bytes of pieces at the front of the page.
        """


class Workspace(Protocol):
    """Folders, as they are on disk."""

    async def open(self, path: str) -> str:
        """Give a workspace's one name: absolute, links resolved.

        Raises:
            WorkspaceFault: no such folder, not a folder, or not allowed; says why, not which.
            WorkspaceBusy: it could not be looked at, or not in time.
        """

    async def normal_forms(
        self, workspace: str, patterns: tuple[str, ...]
    ) -> tuple[tuple[str, ...], tuple[FieldFault, ...]]:
        """Bring patterns to their normal form on this disk (links in literal prefixes resolved).

        Returns:
            Normal forms in order (empty text where faulty) and faults at `brief.ownedGlobs[i]`.
        """


class Process(Protocol):
    """A started process with its container."""

    identity: Identity

    async def read_stdout(self) -> bytes:
        """Next bytes; empty at the end."""

    async def read_stderr(self) -> bytes:
        """What it wrote to stderr since the last call and is still kept; empty at the end."""

    def stderr_tail(self, limit_bytes: int) -> bytes:
        """The last bytes of what it wrote to stderr."""

    @property
    def stderr_bytes(self) -> int:
        """All it ever wrote to stderr."""

    @property
    def stderr_lines(self) -> int:
        """Lines it ever wrote to stderr, a last one without its end included."""

    async def write(self, data: bytes) -> None:
        """Write to its stdin."""

    async def close_stdin(self) -> None:
        """End its input."""

    async def wait_exit(self) -> Exit:
        """Its leader's exit, though something it started holds the pipes."""

    async def stop(self, *, term_grace_ms: int | None = None) -> Stopped:
        """Climb the ladder until nothing of the container is left, or say what is.

        With a grace of 0 nobody is asked, and calls that wait are hurried too.
        """

    async def aclose(self) -> None:
        """Give its descriptors back."""


class Processes(Protocol):
    """Containers of this machine."""

    kind: str

    async def spawn(self, launch: Launch) -> Process:
        """Start one process in a container of its own; LaunchFault leaves nothing behind."""

    async def end(self, identity: Identity) -> Stopped:
        """End what an earlier daemon left, by proven identity only."""

    async def end_named(self, node_id: str) -> Stopped:
        """End what an earlier daemon left of a node whose identity was not recorded."""

    def pids_of(self, identity: Identity) -> tuple[int, ...]:
        """All processes in that container now."""

    async def aclose(self) -> None:
        """End everything and give all descriptors back."""


class Guest(Protocol):
    """A process that somebody else started and that joined as a child."""

    async def wait_exit(self) -> Exit:
        """Its end, and how it ended where the kernel tells those who are not its parent."""

    def ask_to_leave(self) -> None:
        """Send it TERM, and nobody who has its number now."""

    def close(self) -> None:
        """Watch it no longer; idempotent."""


class Guests(Protocol):
    """Processes that somebody else started. None of them is ever killed."""

    def watch(self, identity: Identity) -> Guest | None:
        """Watch a process; none when it has ended, or its number is another's."""

    def left(self, identity: Identity) -> tuple[str, ...]:
        """Say what is left of it and of what carries its mark; empty when nothing is."""

    def when_empty(self, identity: Identity, tell: Callable[[], None]) -> None:
        """Call back once, not at once, when nothing of that is left any more."""


class ChildOrder(Value, frozen=True, kw_only=True):
    """All a runner needs to start one child."""

    node: Node
    profile: AgentProfile
    opening: str
    """The opening text: mission, contract, letter."""
    env: tuple[tuple[str, str], ...]
    token: str


class Stamps(TypedDict):
    """What every command carries."""

    at_ms: int
    awake_ms: int


class Scrubs(Protocol):
    """Takes secrets out of what programs and providers wrote."""

    def scrub(self, text: str) -> str:
        """Replace every secret by a mark."""

    def head(self, text: str, limit: int) -> str:
        """Scrub, then keep the first `limit` bytes."""

    def tail(self, text: str, limit: int, *, begun: bool = False) -> str:
        """Scrub, then keep the last `limit` bytes; `begun` = the text's own front was cut off."""


class Voice(Protocol):
    """How a runner speaks back: its outcome is again a command.

    What a command says of the outside is scrubbed on its way, so it must come whole: who cuts it
    first, cuts what `scrubber` gives.
    """

    @property
    def scrubber(self) -> Scrubs:
        """Takes secrets out of what a runner shows of its agent."""

    def now(self) -> Stamps:
        """The stamps of a command."""

    def tell(self, command: Command) -> None:
        """Say what happened."""

    async def ask(self, command: Command) -> Reply | Rejection | None:
        """Say what happened, and wait until it is durable."""

    async def submit(self, command: ClientCommand) -> Reply | Rejection | None:
        """Ask for something on behalf of the child, as any client would."""

    @property
    def tree(self) -> Tree:
        """The published tree."""

    async def until(self, holds: Callable[[Tree], bool]) -> None:
        """Return once something holds of the published tree; `holds` is cheap and pure."""

    def take(self, message_id: MessageId) -> bool:
        """Take a message to hand it over to the child; false where another way has it."""

    @property
    def policy(self) -> Policy:
        """The policy in force."""

    def has_channel(self, node_id: NodeId) -> bool:
        """Tell whether the child's agent has listed our tools."""

    async def channel_seen(self, node_id: NodeId) -> None:
        """Return when the child's agent has listed our tools; the caller sets the bound."""


class OfferedTool(Value, frozen=True, kw_only=True):
    """One tool as a model is told of it."""

    name: str
    text: str
    schema: dict[str, Any]


class ToolAnswer(Value, frozen=True, kw_only=True):
    """What a tool answered, for the model to read."""

    text: str
    refused: bool = False


class ChildTools(Protocol):
    """The tools by which a child speaks to this daemon, for runners that are its agent themselves.

    They are the very tools that agents are served over MCP: names, texts, bounds and refusals.
    """

    def offered(self, node_id: NodeId) -> tuple[OfferedTool, ...]:
        """Give the tools that are there for a node, and know that its agent has seen them."""

    async def call(self, node_id: NodeId, name: str, arguments: dict[str, Any]) -> ToolAnswer:
        """Call one; whatever happens becomes an answer."""


class RunningChild(Protocol):
    """One child under way."""

    async def run(self) -> None:
        """Live until the child's run is over; every outcome is told as a command."""

    async def prompt(self, message_id: str | None, text: str) -> bool:
        """Say something to it; tells whether it has been read."""

    def wake(self) -> None:
        """Let it know that mail waits in its mailbox."""

    async def stop(self, *, hurry: bool = False) -> Stopped:
        """End it and everything it started; idempotent, also before and after `run`.

        With `hurry` nothing is waited for any more, not by other calls either.
        """


class Runner(Protocol):
    """Starts children of one kind."""

    def start(self, order: ChildOrder, voice: Voice) -> RunningChild:
        """Make a child ready; nothing is started before its `run`.

        Raises:
            RunnerFault: this child can surely not be run.
        """


class Notifier(Protocol):
    """Shows a person something outside of any terminal."""

    async def notify(self, title: str, text: str) -> str:
        """Show one notice, within seconds; says what kept it from being shown, and never raises."""


class Peers(Protocol):
    """Who sits at the other end of a unix socket."""

    def look(self, sock: socket) -> Peer:
        """Describe the process that connected this socket; never raises for what it cannot see."""
