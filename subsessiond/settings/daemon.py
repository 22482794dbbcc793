"""`subsessiond.toml`: limits, the operator's rights, processes, files and named checks."""

import re
from enum import StrEnum
from typing import Any, Final

import msgspec

from subsessiond.adapters.passphrase import Passphrase
from subsessiond.model.base import Value
from subsessiond.model.policy import Limits
from subsessiond.model.projectrole import RoleBases
from subsessiond.settings.agents import argv_of
from subsessiond.settings.tables import Table

FILE: Final = "subsessiond.toml"
MISSION_MOST: Final = 4 * 1024 * 1024
GRACE_MOST_MS: Final = 600_000

KEEP_DAYS: Final = 30
KEEP_DAYS_MOST: Final = 36_500
MOST_MIB: Final = 2_048
PORT_MOST: Final = 65_535

_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,126}")
_PASSED: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,126}\*?")
_UNLIMITED: Final = (
    "live_per_parent",
    "live_per_tree",
    "live_total",
    "spawns_per_tree",
    "live_writers",
)
"""Limits that may be switched off; every other bounds what somebody is shown, or the pace."""


_TABLES: Final = (
    "limits",
    "operator",
    "processes",
    "files",
    "checks",
    "secrets",
    "transcripts",
    "tcp",
    "project_roles",
)


class ContainerChoice(StrEnum):
    """Which container children run in."""

    STRONGEST = "strongest"
    CGROUP = "cgroup"
    PIDNS = "pidns"
    DESCENT = "descent"


class NotifyChoice(StrEnum):
    """What the desktop is told."""

    NONE = "none"
    BLOCKED = "blocked"
    ALL = "all"


class TerritoryChoice(StrEnum):
    """What belongs to a root that an MCP bridge opened."""

    AGENT = "agent"
    BRIDGE = "bridge"


class DaemonTable(Value, frozen=True, kw_only=True):
    """What the file says."""

    limits: Limits
    headless: bool
    passphrase: Passphrase | None
    """What is kept of the operator's passphrase; none where none is asked for."""
    notify: NotifyChoice
    territory: TerritoryChoice
    container: ContainerChoice
    term_grace_ms: int
    pass_environment: tuple[str, ...]
    fold_case: bool
    checks: tuple[tuple[str, tuple[str, ...]], ...]
    """Names and command lines that `verify` may name."""
    secrets_from: tuple[str, ...]
    transcripts_keep_days: int
    transcripts_most_mib: int
    project_bases: RoleBases
    """Rows of `roles.toml` that the roles of a workspace extend."""
    tcp_port: int | None
    """Port of loopback that is opened at the start; none = a free one, when something needs it."""


def read_daemon(text: dict[str, Any]) -> DaemonTable:
    """Read the file.

    Raises:
        ConfigFault: says which table, which word and why.
    """
    file = Table(FILE, "", text)
    file.only(_TABLES)
    operator, processes, files = (file.table(n) for n in ("operator", "processes", "files"))
    secrets, transcripts = file.table("secrets"), file.table("transcripts")
    tcp = file.table("tcp")
    operator.only(("headless", "notify", "passphrase", "territory"))
    processes.only(("container", "term_grace_ms", "pass_environment"))
    files.only(("fold_case",))
    secrets.only(("values_from",))
    transcripts.only(("keep_days", "most_mib"))
    tcp.only(("port",))
    return DaemonTable(
        limits=_limits(file.table("limits")),
        headless=operator.flag("headless", default=False),
        passphrase=_passphrase(operator),
        notify=operator.choice("notify", NotifyChoice, NotifyChoice.NONE),
        territory=operator.choice("territory", TerritoryChoice, TerritoryChoice.AGENT),
        container=processes.choice("container", ContainerChoice, ContainerChoice.STRONGEST),
        term_grace_ms=processes.whole("term_grace_ms", 3_000, most=GRACE_MOST_MS),
        pass_environment=_variables(processes, "pass_environment", _PASSED, ", a last * allowed"),
        fold_case=files.flag("fold_case", default=False),
        checks=_checks(file.table("checks")),
        secrets_from=_variables(secrets, "values_from", _NAME, ""),
        transcripts_keep_days=transcripts.whole("keep_days", KEEP_DAYS, most=KEEP_DAYS_MOST),
        transcripts_most_mib=transcripts.whole("most_mib", MOST_MIB),
        project_bases=_bases(file.table("project_roles")),
        tcp_port=tcp.whole("port", 0, most=PORT_MOST) or None,
    )


def _bases(table: Table) -> RoleBases:
    table.only(("writer", "reader"))
    usual = RoleBases()
    return RoleBases(
        writer=table.text("writer", usual.writer), reader=table.text("reader", usual.reader)
    )


def _passphrase(table: Table) -> Passphrase | None:
    line = table.text("passphrase", "")
    if not line:
        return None
    try:
        return Passphrase.parse(line)
    except ValueError as error:
        table.refuse("passphrase", str(error))


def _limits(table: Table) -> Limits:
    defaults = {field.name: field.default for field in msgspec.structs.fields(Limits)}
    table.only(defaults)
    values: dict[str, int | None] = {
        word: (
            table.whole_or_unlimited(word, default)
            if word in _UNLIMITED
            else table.whole(word, default)
        )
        for word, default in defaults.items()
    }
    table.whole("mission_bytes", Limits().mission_bytes, least=1, most=MISSION_MOST)
    return msgspec.structs.replace(Limits(), **values)


def _variables(table: Table, word: str, shape: re.Pattern[str], besides: str) -> tuple[str, ...]:
    found = table.once(word)
    for name in found:
        if not shape.fullmatch(name):
            table.refuse(word, f"{name[:60]!r} is no name of a variable{besides}")
    return found


def _checks(table: Table) -> tuple[tuple[str, tuple[str, ...]], ...]:
    for name in table.names():
        if name in ("files", "scope"):
            table.refuse(name, "has a meaning of its own; choose another name")
        if not argv_of(table, name):
            table.refuse(name, "must be a command line: a list of texts")
    return tuple((name, argv_of(table, name)) for name in table.names())
