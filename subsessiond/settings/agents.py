"""`agents.toml`: which agent serves which tier, and how each agent is run."""

import re
from enum import StrEnum
from typing import Any, Final

from subsessiond.model.role import AgentProfile
from subsessiond.settings.tables import Table

FILE: Final = "agents.toml"
_VARIABLE: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,127}")

_WORDS: Final = (
    "runner",
    "command",
    "env",
    "brief_by",
    "takes_schema",
    "takes_steer",
    "takes_operator_argv",
)


class RunnerKind(StrEnum):
    """The runners of this version."""

    COMMAND = "command"
    SCRIPTED = "scripted"


class BriefBy(StrEnum):
    """How the opening text reaches a program."""

    STDIN = "stdin"
    ARGUMENT = "argument"


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
            rows.refuse(
                tier, f"there is no agent {agent!r}; there are {', '.join(known) or 'none'}"
            )
    return agents, tiers


def _agent(name: str, table: Table) -> AgentProfile:
    table.only(_WORDS)
    if not table.has("runner"):
        table.refuse("runner", f"is missing; one of {', '.join(RunnerKind)}")
    return AgentProfile(
        name=name,
        runner=table.choice("runner", RunnerKind, RunnerKind.COMMAND),
        command=argv_of(table, "command"),
        env=_env(table.table("env")),
        brief_by=table.choice("brief_by", BriefBy, BriefBy.STDIN),
        takes_schema=table.flag("takes_schema", default=True),
        takes_steer=table.flag("takes_steer", default=False),
        takes_operator_argv=table.flag("takes_operator_argv", default=False),
    )


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
