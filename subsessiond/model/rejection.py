"""Refusals: values that tell what was refused, by which step, and whether trying again can help."""

from enum import Enum

from subsessiond.model.base import Value
from subsessiond.model.brief import FieldFault


class Code(Enum):
    """Every canonical code: number, whether a retry can help, and what it means to a person."""

    BRIEF_INVALID = (1001, False, "the brief has fields that cannot be accepted")
    ROLE_UNKNOWN = (1002, False, "no role of this name is configured")
    ROLE_UNSAFE = (1003, False, "the role or its agent cannot carry this brief")
    DEPTH_EXCEEDED = (1004, False, "the tree may not grow that deep here")
    TOOL_FILTER_REFUSED = (1005, False, "a child never gets a tool class that its parent lacks")
    SCOPE_OVERLAP = (1006, True, "another node holds files that these patterns meet")
    TREE_BUDGET_EXCEEDED = (1007, True, "the token cap does not fit into what the parent has left")
    CONCURRENCY_EXCEEDED = (1008, True, "as many nodes live as are allowed")
    START_FAILED = (1009, False, "the agent could not be started")
    PARENT_NOT_LIVE = (1010, False, "the parent is not live")
    KEY_CONFLICT = (1011, False, "this idempotency key was used for another brief")
    SUBTREE_STOPPING = (1012, False, "this subtree is being stopped")
    SCOPE_OUTSIDE_PARENT = (1013, False, "these files lie outside what the parent owns")
    REPORT_TOO_LARGE = (2001, True, "the report is larger than its contract allows")
    REPORT_INVALID = (2002, True, "the report has fields that cannot be accepted")
    REPORT_CONTRACT = (2003, True, "the report lacks sections that its contract requires")
    OUTPUT_SCHEMA = (2004, True, "the structured part does not satisfy the brief's schema")
    NODE_SETTLED = (2005, False, "this node has settled; nothing later counts")
    REPORT_UNDELIVERABLE = (2006, False, "direct parent is not live; report was not delivered")
    CHILDREN_LIVE = (2007, True, "children are still live; wait for them or say endChildren: true")
    MESSAGE_TOO_LARGE = (3001, True, "the message is larger than its limit")
    NODE_NOT_LIVE = (3002, False, "the node is not live")
    CHECKPOINT_TOO_LARGE = (3003, True, "the checkpoint is larger than its limit")
    CHECKPOINT_INVALID = (3004, True, "the checkpoint has fields that cannot be accepted")
    PREDECESSOR_LIVE = (4001, True, "the predecessor has not settled")
    ALREADY_SUCCEEDED = (4002, False, "the predecessor already has a successor")
    GENERATIONS_EXCEEDED = (4003, False, "this mission has had as many generations as are allowed")
    NOT_FOUND = (9001, False, "there is no such node among yours")
    NOT_ALLOWED = (9002, False, "the caller may not do this")
    BUSY = (9003, True, "too much at once; wait and call again")
    STORE_UNAVAILABLE = (9004, True, "the registry could not be written; nothing changed")

    @property
    def number(self) -> int:
        """The JSON-RPC error code."""
        return int(self.value[0])

    @property
    def retryable(self) -> bool:
        """Whether the same call can succeed later or after a change by the caller."""
        return bool(self.value[1])

    @property
    def sentence(self) -> str:
        """What the code means, for a person."""
        return str(self.value[2])


class Rejection(Value, frozen=True, kw_only=True):
    """One refusal. It never holds a value the caller sent, only names, limits and sizes."""

    code: Code
    step: str
    """Name of the check that refused."""
    detail: str = ""
    """What to do next, or what exactly was met; joined to the code's sentence."""
    fields: tuple[FieldFault, ...] = ()
    limit: int | None = None
    actual: int | None = None
    sibling: str | None = None
    """The other node concerned."""
    paths: tuple[str, ...] = ()
    retry_after_ms: int | None = None
    hopeless: bool = False
    """Whether no later call can succeed although its code says that one may."""

    @property
    def retryable(self) -> bool:
        """Whether the same call can succeed later or after a change by the caller."""
        return self.code.retryable and not self.hopeless

    @property
    def message(self) -> str:
        """A person's sentence."""
        return f"{self.code.sentence}: {self.detail}" if self.detail else self.code.sentence
