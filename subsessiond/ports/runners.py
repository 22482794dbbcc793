"""How children live, and how they speak back."""

from collections.abc import Callable, Sequence
from typing import Any, Protocol, TypedDict

from subsessiond.model.base import Value
from subsessiond.model.commands import ClientCommand, Command
from subsessiond.model.decision import Reply
from subsessiond.model.ids import MessageId, NodeId
from subsessiond.model.ledger import Part
from subsessiond.model.node import Node
from subsessiond.model.policy import Policy
from subsessiond.model.process import Stopped
from subsessiond.model.rejection import Rejection
from subsessiond.model.role import AgentProfile
from subsessiond.model.tree import Tree


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

    async def tell_made(self, make: Callable[[], Command]) -> None:
        """Say what takes long to be put into words: `make` is called in a thread, and must only
        read what nobody changes any more.
        """

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

    def show(self, reader: NodeId, size: int, parts: Sequence[Part]) -> None:
        """Count what a parent is prompted with, and what in it comes of which child."""

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
