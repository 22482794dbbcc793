"""`agents.toml`: which agent serves which tier, and how each agent is run."""

import re
from enum import StrEnum
from typing import Any, Final

from subsessiond.model.eventmap import EventMap
from subsessiond.model.role import AgentProfile, Channel, McpBy, Probe, ToolClass, UsageOf
from subsessiond.settings.agentevents import read_events
from subsessiond.settings.tables import Table

FILE: Final = "agents.toml"
_VARIABLE: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,127}")

_WORDS: Final = (
    "runner",
    "command",
    "program",
    "env",
    "files",
    "brief_by",
    "resume",
    "channel",
    "probe",
    "login",
    "mode",
    "mcp_servers",
    "mcp_by",
    "merges_prompts",
    "usage_of",
    "tools",
    "events",
    "result_grace_ms",
    "endpoint",
    "model",
    "dialect",
    "key_from",
    "takes_schema",
    "takes_steer",
    "takes_operator_argv",
    "may_stop",
)


class RunnerKind(StrEnum):
    """The runners of this version."""

    COMMAND = "command"
    SCRIPTED = "scripted"
    PLAN = "plan"
    ACP = "acp"
    JSONL = "jsonl"
    CLAUDE = "claude"
    MODEL = "model"
    EXTERNAL = "external"


class BriefBy(StrEnum):
    """How the opening text reaches a program."""

    STDIN = "stdin"
    ARGUMENT = "argument"


class Dialect(StrEnum):
    """The language a model's endpoint speaks."""

    OPENAI = "openai"
    ANTHROPIC = "anthropic"


_GRACE_MOST_MS: Final = 600_000

_NONE: Final = "none: this file is read in place of the shipped one, so begin with a copy of that"

READS_MESSAGES: Final = (RunnerKind.ACP, RunnerKind.CLAUDE, RunnerKind.MODEL)
"""Runners whose children are told things at the end of a turn, if not earlier."""


def read_agents(
    text: dict[str, Any],
) -> tuple[tuple[AgentProfile, ...], tuple[tuple[str, str], ...]]:
    """Read every agent and every tier, sorted by name.

    Raises:
        ConfigFault: says which agent or tier and why.
    """
    file = Table(FILE, "", text)
    file.only(("agents", "tiers"))
    tables = file.table("agents")
    agents = tuple(_agent(name, tables.table(name)) for name in tables.names())
    known = tuple(agent.name for agent in agents)
    rows = file.table("tiers")
    tiers = tuple((tier, rows.name(tier)) for tier in rows.names())
    for tier, agent in tiers:
        if agent not in known:
            rows.refuse(tier, f"there is no agent {agent!r}; there are {', '.join(known) or _NONE}")
    return agents, tiers


def _agent(name: str, table: Table) -> AgentProfile:
    table.only(_WORDS)
    if not table.has("runner"):
        table.refuse("runner", f"is missing; one of {', '.join(RunnerKind)}")
    runner = table.choice("runner", RunnerKind, RunnerKind.COMMAND)
    channel = table.choice("channel", Channel, Channel.MCP)
    events = read_events(table.table("events"))
    _check_runner(table, runner, channel, events)
    hears = table.has("resume") or _reads_messages(runner, channel)
    return AgentProfile(
        name=name,
        runner=runner,
        command=argv_of(table, "command"),
        program=table.text("program", ""),
        env=_env(table.table("env")),
        files=_files(table.table("files")),
        brief_by=table.choice("brief_by", BriefBy, BriefBy.STDIN),
        resume=argv_of(table, "resume"),
        channel=channel,
        probe=table.choice("probe", Probe, Probe.BEFORE_TURN),
        login=table.text("login", ""),
        mode=table.text("mode", ""),
        mcp_servers=table.flag("mcp_servers", default=True),
        mcp_by=_mcp_by(table, runner),
        merges_prompts=table.flag("merges_prompts", default=False),
        usage_of=table.choice("usage_of", UsageOf, UsageOf.SESSION),
        tools=_tools(table.table("tools")),
        events=events,
        result_grace_ms=table.whole("result_grace_ms", 5_000, most=_GRACE_MOST_MS),
        endpoint=table.text("endpoint", ""),
        model=table.text("model", ""),
        dialect=table.choice("dialect", Dialect, Dialect.OPENAI),
        key_from=table.text("key_from", ""),
        takes_schema=table.flag(
            "takes_schema", default=not _closes(runner, channel) or bool(events.structured)
        ),
        takes_steer=table.flag("takes_steer", default=hears),
        takes_operator_argv=table.flag("takes_operator_argv", default=False),
        may_stop=table.flag("may_stop", default=False),
    )


def _check_runner(table: Table, runner: RunnerKind, channel: Channel, events: EventMap) -> None:
    """Refuse words that mean nothing to an agent of this runner."""
    if _closes(runner, channel) and not events.closing:
        table.refuse("channel", "closing-result needs events.closing: how else is it known?")
    if table.has("resume") and (runner is not RunnerKind.JSONL or not events.session):
        table.refuse("resume", "needs runner jsonl, and events.session: where is its name told?")
    if runner is RunnerKind.CLAUDE and channel is Channel.CLOSING_RESULT:
        table.refuse("channel", "it is kept open over many turns, none of which closes: mcp or cli")
    if runner is RunnerKind.EXTERNAL and channel is Channel.CLOSING_RESULT:
        table.refuse("channel", "of what somebody else runs nothing is read: mcp or cli")
    if table.has("may_stop") and runner is not RunnerKind.EXTERNAL:
        table.refuse("may_stop", "is of runner external alone: what the daemon starts it stops")


def _closes(runner: RunnerKind, channel: Channel) -> bool:
    return runner is RunnerKind.JSONL and channel is Channel.CLOSING_RESULT


def _mcp_by(table: Table, runner: RunnerKind) -> McpBy:
    if table.has("mcp_by") and runner is not RunnerKind.ACP:
        table.refuse("mcp_by", "is of runner acp alone: others name our server in their files")
    return table.choice("mcp_by", McpBy, McpBy.STDIO)


def _reads_messages(runner: RunnerKind, channel: Channel) -> bool:
    """Tell whether what is said to a child reaches it: by a prompt or, where a run takes only one,
    with what our tools answer.
    """
    by_tools = runner in (RunnerKind.JSONL, RunnerKind.EXTERNAL)
    return runner in READS_MESSAGES or (by_tools and channel is Channel.MCP)


def _tools(table: Table) -> tuple[tuple[str, ToolClass], ...]:
    """Read what each tool name of an agent is; written-out names before those with `*`."""
    rows = ((name, table.choice(name, ToolClass, ToolClass.READ)) for name in table.words())
    return tuple(sorted(rows, key=lambda row: ("*" in row[0], -len(row[0]), row[0])))


def _files(table: Table) -> tuple[tuple[str, str], ...]:
    for name in table.words():
        parts = name.split("/")
        if not name or "\0" in name or any(part in ("", ".", "..") for part in parts):
            table.refuse(repr(name[:60]), "must be a relative path that stays in its folder")
    return tuple((name, table.text(name)) for name in table.words())


def argv_of(table: Table, word: str) -> tuple[str, ...]:
    """Read a command line; where there is one, its program has a name."""
    found = table.texts(word)
    if found and not found[0]:
        table.refuse(word, "the program, its first text, is empty")
    return found


def _env(table: Table) -> tuple[tuple[str, str], ...]:
    for word in table.words():
        if not _VARIABLE.fullmatch(word):
            table.refuse(repr(word[:60]), "is no name of a variable")
        if word.startswith("SUBSESSION_"):
            table.refuse(word, "the daemon itself sets what begins with SUBSESSION_")
    return tuple((word, table.text(word)) for word in table.words())
