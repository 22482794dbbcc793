"""The answer of the core to one command."""

from subsessiond.model.base import Value
from subsessiond.model.events import AnyEvent
from subsessiond.model.ids import MessageId, NodeId
from subsessiond.model.node import Status
from subsessiond.model.rejection import Rejection
from subsessiond.model.tree import Tree


class Admitted(Value, frozen=True, kw_only=True):
    """Answer to spawn and succeed."""

    node_id: NodeId
    state: Status
    claimed_at: int
    warnings: tuple[str, ...] = ()
    would_admit: bool | None = None
    """Set by `checkOnly`: every check passed and nothing was started."""


class Opened(Value, frozen=True, kw_only=True):
    """Answer to open."""

    node_id: NodeId
    resumed: bool
    token_cap: int
    workspace: str


class Accepted(Value, frozen=True, kw_only=True):
    """Answer to report, steer and the like: what was accepted is durable."""

    message_id: MessageId | None = None
    text: str = ""
    already: bool = False
    """This is the first answer again; nothing changed."""


class Saved(Value, frozen=True, kw_only=True):
    """Answer to checkpoint."""

    pointer: str
    line: int


class Moved(Value, frozen=True, kw_only=True):
    """Answer to acknowledge: how many messages moved."""

    count: int


class Stopping(Value, frozen=True, kw_only=True):
    """Answer to cancel and close: the nodes this call stops."""

    nodes: tuple[NodeId, ...]
    already: bool = False


Reply = Admitted | Opened | Accepted | Saved | Moved | Stopping


class Decided(Value, frozen=True, kw_only=True):
    """What one command does: these events happen, then this is answered.

    The reply may be a refusal that leaves a trace, such as a report that came too late.
    """

    tree: Tree
    """The tree after the events."""
    events: tuple[AnyEvent, ...] = ()
    reply: Reply | Rejection | None = None
