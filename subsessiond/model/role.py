"""Roles and agents: what a spawn may name, and what the operator's configuration makes of it."""

from enum import StrEnum

from subsessiond.model.base import Value
from subsessiond.model.eventmap import EventMap


class ToolClass(StrEnum):
    """The eight words in which policy speaks of an agent's tools."""

    READ = "read"
    EDIT = "edit"
    DELETE = "delete"
    EXECUTE = "execute"
    FETCH = "fetch"
    SEARCH = "search"
    THINK = "think"
    DELEGATE = "delegate"


class Delivery(StrEnum):
    """How an accepted report reaches the parent."""

    NEXT_STEP = "next-step"
    QUIET = "quiet"


class Isolation(StrEnum):
    """Where a child's files are."""

    SHARED = "shared"
    WORKTREE = "worktree"


class Role(Value, frozen=True, kw_only=True):
    """One row of the role table, as the operator configured it."""

    name: str
    tier: str
    depth_cap: int = 0
    """Levels that may grow below a node of this role; 0 is a leaf."""
    tools: tuple[ToolClass, ...] = ()
    """Tool classes its nodes may use; `deny_tools` is already taken off."""
    report_delivery: Delivery = Delivery.NEXT_STEP
    verify: tuple[str, ...] = ()
    max_live: int | None = None
    """Live nodes of this role in one tree; none = only the general caps."""
    retire_timeout_ms: int = 600_000
    tool_timeout_ms: int = 1_800_000
    isolation: Isolation = Isolation.SHARED
    token_cap: int = 200_000
    max_report_tokens: int = 600
    required_sections: tuple[str, ...] = ()
    extends: str = ""
    """Of a workspace's role: the row that it is never wider than, and with which it shares that
    row's `max_live`.
    """
    digest: str = ""
    """Of a workspace's role: the SHA-256 of its file, as the operator accepted it."""
    preface: str = ""
    """Of a workspace's role: what its children read before their mission; once admitted, it stands
    in their briefs.
    """

    @property
    def is_leaf(self) -> bool:
        """A leaf can never delegate."""
        return self.depth_cap == 0


class Channel(StrEnum):
    """How a child says its reports."""

    MCP = "mcp"
    """Through our MCP server, whose tools it must have listed before its first turn."""
    CLI = "cli"
    """By `subsession report` and `subsession checkpoint` in its shell."""
    CLOSING_RESULT = "closing-result"
    """The text of its closing event is its final."""


class Probe(StrEnum):
    """When an agent has listed our tools."""

    BEFORE_TURN = "before-turn"
    IN_TURN = "in-turn"
    """Only once its first turn has begun: it counts as up before."""


class McpBy(StrEnum):
    """By which transport an ACP agent reaches our MCP server."""

    STDIO = "stdio"
    """It starts a program of ours."""
    HTTP = "http"
    """It is told an address of this daemon, and its child's token."""


class UsageOf(StrEnum):
    """Of what an agent's figures are."""

    SESSION = "session"
    """Running totals: they are never added up."""
    TURN = "turn"
    """Of each turn alone: they are added up."""
    NOTHING = "nothing"
    """Of less than a turn: they are not read, for no figure is better than a false one."""


class AgentProfile(Value, frozen=True, kw_only=True):
    """How nodes of one tier are run."""

    name: str
    runner: str
    """`command`, `scripted`, `acp`, `jsonl`, `claude`, `model` or `external`."""
    command: tuple[str, ...] = ()
    """The command line; for `scripted` the script file. In it, in `env` and in `files`, words in
    braces stand for what one child gets: `{workspace}`, `{scratch}`, `{node}`, `{socket}`,
    `{shim_program}`, `{shim_args}` (JSON), and where the brief is an argument `{brief}`;
    `{edit?this:that}`, with any tool class, for what is said where it may use them, or not;
    `{folders?this}` for what is said once for each folder that holds files it owns, `@` being its
    path in quotes.
    """
    program: str = ""
    """What has to be on the PATH where `command` begins with something else, such as a shell."""
    env: tuple[tuple[str, str], ...] = ()
    files: tuple[tuple[str, str], ...] = ()
    """Files to write into a child's scratch folder before it starts: name and text."""
    brief_by: str = "stdin"
    """`stdin` or `argument`: how the opening text reaches the process."""
    resume: tuple[str, ...] = ()
    """For `jsonl`: words of the command line in each further run, which takes the conversation up
    that `{session}` names; they stand where it has `{resume}`, else last. None = one run is all.
    """
    channel: Channel = Channel.MCP
    probe: Probe = Probe.BEFORE_TURN
    login: str = ""
    """ACP method to authenticate with before the session, for agents that want to be asked to."""
    mode: str = ""
    """ACP session mode to choose before the first turn."""
    mcp_servers: bool = True
    """Whether an ACP agent takes our MCP server with its session; else its own files name it."""
    mcp_by: McpBy = McpBy.STDIO
    """By what an ACP agent reaches our MCP server."""
    merges_prompts: bool = False
    """Whether what is said in a running turn reaches the model in it and cancels nothing."""
    usage_of: UsageOf = UsageOf.SESSION
    """Of what the figures are that an ACP agent gives with each turn's end."""
    tools: tuple[tuple[str, ToolClass], ...] = ()
    """Tool names as the agent spells them, with `*`, and their class; the first that fits wins."""
    events: EventMap = EventMap()
    """For `jsonl`."""
    result_grace_ms: int = 5_000
    """For `jsonl`: what the process may take to leave after its closing event and, where a turn
    ended without one, how long that is waited for.
    """
    endpoint: str = ""
    """For `model`: base URL."""
    model: str = ""
    """For `model`: name of the model."""
    dialect: str = "openai"
    """For `model`: `openai` or `anthropic`."""
    key_from: str = ""
    """For `model`: variable of the daemon's environment that holds the key."""
    takes_schema: bool = True
    takes_steer: bool = False
    may_stop: bool = False
    """For `external`: whether the process that joined may be asked to leave (TERM); never killed.
    """
    takes_operator_argv: bool = False
    """Whether an operator may give the command line with the spawn."""

    @property
    def holds_folders(self) -> bool:
        """Whether its command line names the folders in which it may write, for a sandbox."""
        return any("{folders?" in word for word in self.command)
