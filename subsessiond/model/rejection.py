"""Refusals: values that tell what was refused, by which step, and whether trying again can help."""

from enum import Enum

from subsessiond.model.base import Value
from subsessiond.model.brief import FieldFault


class Code(Enum):
    """Every canonical code: number, whether a retry can help, what it means, what to do next."""

    BRIEF_INVALID = (
        1001,
        False,
        "the brief has fields that cannot be accepted",
        "mend the fields that are named, then spawn again",
    )
    ROLE_UNKNOWN = (
        1002,
        False,
        "no role of this name is configured",
        "name one that roles.list shows",
    )
    ROLE_UNSAFE = (1003, False, "the role or its agent cannot carry this brief", "")
    DEPTH_EXCEEDED = (
        1004,
        False,
        "the tree may not grow that deep here",
        "ask for less depth, or let a node nearer to the root spawn it",
    )
    TOOL_FILTER_REFUSED = (
        1005,
        False,
        "a child never gets a tool class that its parent lacks",
        "choose a role without these classes",
    )
    SCOPE_OVERLAP = (
        1006,
        True,
        "another node holds files that these patterns meet",
        "own other files, wait until it is released, or say allowOverlap",
    )
    TREE_BUDGET_EXCEEDED = (
        1007,
        True,
        "the token cap does not fit into what the parent has left",
        "ask for a smaller cap, or wait until a child of this parent has settled",
    )
    CONCURRENCY_EXCEEDED = (
        1008,
        True,
        "as many nodes live as are allowed",
        "nothing queues: wait, then spawn again",
    )
    START_FAILED = (
        1009,
        False,
        "the agent could not be started",
        "mend what is named, then spawn again",
    )
    PARENT_NOT_LIVE = (1010, False, "the parent is not live", "spawn below a live node")
    KEY_CONFLICT = (
        1011,
        False,
        "this idempotency key was used for another brief",
        "use another key",
    )
    SUBTREE_STOPPING = (
        1012,
        False,
        "this subtree is being stopped",
        "spawn below a node that is not",
    )
    SCOPE_OUTSIDE_PARENT = (
        1013,
        False,
        "these files lie outside what the parent owns",
        "own files inside that, or let a node that owns them spawn it",
    )
    REPORT_TOO_LARGE = (2001, True, "the report is larger than its contract allows", "")
    REPORT_INVALID = (
        2002,
        True,
        "the report has fields that cannot be accepted",
        "mend the fields that are named, then report again",
    )
    REPORT_CONTRACT = (
        2003,
        True,
        "the report lacks sections that its contract requires",
        "report again with them",
    )
    OUTPUT_SCHEMA = (
        2004,
        True,
        "the structured part does not satisfy the brief's schema",
        "mend it, then report again",
    )
    NODE_SETTLED = (2005, False, "this node has settled; nothing later counts", "end your turn")
    REPORT_UNDELIVERABLE = (2006, False, "direct parent is not live; report was not delivered", "")
    CHILDREN_LIVE = (
        2007,
        True,
        "children are still live",
        "wait for their reports, cancel them, or say endChildren: true",
    )
    MESSAGE_TOO_LARGE = (
        3001,
        True,
        "the message is larger than its limit",
        "say it in fewer words, or write a file and name it",
    )
    NODE_NOT_LIVE = (
        3002,
        False,
        "the node is not live",
        "",
    )
    CHECKPOINT_TOO_LARGE = (
        3003,
        True,
        "the checkpoint is larger than its limit",
        "write the long part into a file you own and name it in files",
    )
    CHECKPOINT_INVALID = (
        3004,
        True,
        "the checkpoint has fields that cannot be accepted",
        "mend the fields that are named, then save again",
    )
    ALREADY_ATTACHED = (
        3005,
        False,
        "another process is this node already",
        "going on after its end is a new hire: succeed continues its work",
    )
    PREDECESSOR_LIVE = (
        4001,
        True,
        "the predecessor has not settled",
        "wait until it has, or cancel it",
    )
    ALREADY_SUCCEEDED = (
        4002,
        False,
        "the predecessor already has a successor",
        "go on with that one",
    )
    GENERATIONS_EXCEEDED = (
        4003,
        False,
        "this mission has had as many generations as are allowed",
        "look at why it keeps failing, then spawn it anew",
    )
    NOT_FOUND = (9001, False, "there is no such node among yours", "tree shows those there are")
    NOT_ALLOWED = (9002, False, "the caller may not do this", "")
    BUSY = (9003, True, "too much at once", "wait, then call again")
    STORE_UNAVAILABLE = (
        9004,
        True,
        "the registry could not be written; nothing changed",
        "see to the disk of the state directory (the log says more), then call again",
    )

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

    @property
    def advice(self) -> str:
        """What to do next; empty where it depends on what was met: then the detail says it."""
        return str(self.value[3])


class Rejection(Value, frozen=True, kw_only=True):
    """One refusal. It never holds a value the caller sent, only names, limits and sizes."""

    code: Code
    step: str
    """Name of the check that refused."""
    detail: str = ""
    """What exactly was met, and what to do where the code has no advice of its own."""
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
        """A person's sentence: what happened, what was met, what to do next."""
        met = f"{self.code.sentence}: {self.detail}" if self.detail else self.code.sentence
        return f"{met}; {self.code.advice}" if self.code.advice and not self.hopeless else met
