"""What each method takes: strict, no unknown fields, absent is absent.

A brief, a report and a checkpoint are taken as they come: their own parsers list every bad field,
and the pinned order of checks decides which refusal is given.
"""

from typing import Annotated, Any, Literal, Self

from pydantic import (
    BaseModel,
    ConfigDict,
    Discriminator,
    Field,
    Tag,
    ValidationError,
    model_validator,
)
from pydantic.alias_generators import to_camel
from pydantic_core import InitErrorDetails, PydanticCustomError

from subsessiond.model.role import ToolClass
from subsessiond.wire.text import (
    AnyText,
    Count,
    Exactly,
    Glob,
    Key,
    Listed,
    Maybe,
    MessageIdText,
    Mission,
    NodeIdText,
    Path,
    Positive,
    RoleName,
    Secret,
    SomeText,
    Title,
    WaitMs,
)


class Params(BaseModel):
    """Common rules: strict types, camelCase, unknown fields refused, immutable."""

    model_config = ConfigDict(
        strict=True,
        extra="forbid",
        frozen=True,
        alias_generator=to_camel,
        serialize_by_alias=True,
        use_attribute_docstrings=True,
    )


class NoParams(Params):
    """Nothing is taken."""


class OpenParams(Params):
    """A root to open, or to resume."""

    workspace: Path
    """Folder the root owns; links are resolved."""
    title: Maybe[Title] = None
    """One line for people."""
    token_cap: Maybe[Positive] = None
    """Tokens for the whole tree; absent, the configured cap of a root."""
    resume: Maybe[NodeIdText] = None
    """The root to come back to."""
    resume_detached: Maybe[bool] = None
    """For an MCP bridge: come back to the newest root that another bridge opened on this folder and
    whose agent has gone; where there is none, a new one is opened."""


class SpawnParams(Params):
    """A child to start."""

    role: RoleName
    """Row of the role table."""
    brief: dict[str, Any]
    """The order the child starts with (`Brief`)."""
    parent_id: Maybe[NodeIdText] = None
    """The operator names the parent; a node's own is derived and may not be another."""
    allow_overlap: Maybe[bool] = None
    """Whether its files may meet those of other nodes; recorded."""
    idempotency_key: Maybe[Key] = None
    """The same key and brief give the same child again."""
    wait_ms: Maybe[WaitMs] = None
    """Wait so long for the child to be running; absent, the admission is answered."""
    check_only: Maybe[bool] = None
    """Run every check and start nothing."""
    argv: Maybe[Annotated[Listed[AnyText], Field(min_length=1, max_length=1_024)]] = None
    """Command line for a role run by `command`; the operator's alone."""


class ReportParams(Params):
    """A child's words upward; every other field belongs to `Report`."""

    model_config = ConfigDict(extra="allow")

    node_id: Maybe[NodeIdText] = None
    """May be given and must then be the caller's own."""

    @property
    def raw(self) -> dict[str, Any]:
        """Everything else, as it came."""
        return self.__pydantic_extra__ or {}


class CheckpointParams(Params):
    """Where a child stands; every field belongs to `Checkpoint`."""

    model_config = ConfigDict(extra="allow")

    @property
    def raw(self) -> dict[str, Any]:
        """Everything, as it came."""
        return self.__pydantic_extra__ or {}


class ReceiptParams(Params):
    """A message to ask after."""

    message_id: MessageIdText
    """As answered by `report` or `steer`."""


class SucceedParams(Params):
    """A fresh child for a settled one's work."""

    child_id: NodeIdText
    """The settled predecessor."""
    role: Maybe[RoleName] = None
    """Instead of the predecessor's role."""
    mission: Maybe[Mission] = None
    """Instead of the predecessor's mission."""
    token_cap: Maybe[Positive] = None
    """Instead of the predecessor's cap."""
    idempotency_key: Maybe[Key] = None
    """The same key gives the same successor again."""
    wait_ms: Maybe[WaitMs] = None
    """Wait so long for the successor to be running."""


class TreeParams(Params):
    """A page of the tree, or what changed in it."""

    root_id: Maybe[NodeIdText] = None
    """Only this root's tree."""
    since_seq: Maybe[Count] = None
    """Only rows changed after this sequence number."""
    after: Maybe[NodeIdText] = None
    """Cursor: the `next` of the page before."""
    limit: Maybe[Annotated[int, Field(ge=1, le=2_000)]] = None
    """Rows a page."""
    wait_ms: Maybe[WaitMs] = None
    """With `sinceSeq`: wait so long for a change."""


class NodeParams(Params):
    """One node, by its id."""

    node_id: NodeIdText
    """The node meant."""


class ReleaseParams(NodeParams):
    """A node whose claim is freed on the operator's word."""

    passphrase: Annotated[Maybe[Secret], Field(repr=False)] = None
    """The operator's, where one is set; never kept."""


class AttachParams(Params):
    """A child whose agent the caller is."""

    node_id: Maybe[NodeIdText] = None
    """The child; a caller that comes as it need not name it."""
    above: Maybe[bool] = None
    """Not the calling process, but the agent that started it, past shells and launchers."""
    check_only: Maybe[bool] = None
    """Run every check and attach nothing; shows the brief."""


class InboxParams(Params):
    """A mailbox to read."""

    node_id: Maybe[NodeIdText] = None
    """The operator looks at a node's mail, and moves nothing by it."""
    acknowledge: Maybe[
        Annotated[
            Annotated[Literal[True], Exactly(value=True), Tag("[all]")]
            | Annotated[Listed[MessageIdText], Field(max_length=1_000), Tag("[some]")],
            Discriminator(lambda given: "[some]" if isinstance(given, list | tuple) else "[all]"),
        ]
    ] = None
    """Messages that were read, or `true` for all delivered ones."""
    wait_ms: Maybe[WaitMs] = None
    """Wait so long for a message."""
    max_tokens: Maybe[Annotated[int, Field(ge=1, le=8_000)]] = None
    """Bound of this answer, in estimated tokens; one message always fits."""


class UnreadParams(Params):
    """The end of a turn."""

    again: Maybe[bool] = None
    """Whether the turn goes on because of an earlier answer: then only what came since counts."""


class SteerParams(Params):
    """Something to say to a live child."""

    node_id: NodeIdText
    """The child."""
    text: SomeText
    """At most the configured estimated tokens."""


class CancelParams(Params):
    """A subtree to stop."""

    node_id: NodeIdText
    """Its topmost node."""
    wait_ms: Maybe[WaitMs] = None
    """Wait at most so long for all of it to be gone."""


class Grants(Params):
    """What one successor may do beyond its parent's means."""

    globs: Maybe[Annotated[Listed[Glob], Field(max_length=200)]] = None
    """Files it may own."""
    tools: Maybe[Listed[Annotated[ToolClass, Field(strict=False)]]] = None
    """Tool classes it may use."""
    tokens: Maybe[Count] = None
    """Tokens on top of its cap and of every ancestor's."""


class HandoverParams(Params):
    """What the operator does with a settled node's work."""

    node_id: NodeIdText
    """The settled node."""
    action: Literal["letter", "as-is", "answer", "grant"]
    """`letter` reads the handover; the others start a successor."""
    grants: Maybe[Grants] = None
    """For `grant`."""
    answer: Maybe[SomeText] = None
    """For `answer`: the person's words for the successor."""
    passphrase: Annotated[Maybe[Secret], Field(repr=False)] = None
    """The operator's, where one is set and a successor is started; never kept."""

    @model_validator(mode="after")
    def _fits(self) -> Self:
        """Take what belongs to the action, and nothing else."""
        given = (("grants", "grant", self.grants), ("answer", "answer", self.answer))
        faults = [
            InitErrorDetails(type=_unfit(action, missing=value is None), loc=(name,), input=None)
            for name, action, value in given
            if (self.action == action) != (value is not None)
        ]
        if faults:
            raise ValidationError.from_exception_data(type(self).__name__, faults)
        return self


def _unfit(action: str, *, missing: bool) -> PydanticCustomError:
    problem = "is required by action {action}" if missing else "goes with action {action} alone"
    return PydanticCustomError("action", problem, {"action": action})


class JournalParams(Params):
    """A page of a node's journal."""

    node_id: NodeIdText
    """Whose journal."""
    first: Maybe[Positive] = None
    """Line to begin with, from 1."""
    limit: Maybe[Annotated[int, Field(ge=1, le=1_000)]] = None
    """Lines a page."""


class TranscriptParams(Params):
    """A page of a child's transcript."""

    node_id: NodeIdText
    """Whose transcript."""
    after: Maybe[Count] = None
    """Number to go on after, 0 for the beginning; default: the newest."""


class SubscribeParams(Params):
    """Where a reader of events wants to begin."""

    after_seq: Maybe[Count] = None
    """The last sequence number it has seen; absent, only what comes."""
