"""`roles.toml`: one table a role. A role that breaks a law is refused, by its name and the law."""

from typing import Any, Final

from subsessiond.model.role import Delivery, Isolation, Role, ToolClass
from subsessiond.settings.tables import Table

FILE: Final = "roles.toml"
CHANNEL: Final = ("report", "subsession_checkpoint", "checkpoint")
"""The tools that every child has: what no list can name, no list can take away."""

DEPTH_MOST: Final = 64
DAY_MS: Final = 24 * 3_600_000
TOKENS_LEAST, TOKENS_MOST = 50, 8_000
SECTIONS_MOST, SECTION_BYTES = 16, 128

_WORDS: Final = (
    "tier",
    "depth_cap",
    "tools",
    "deny_tools",
    "report_delivery",
    "verify",
    "max_live",
    "retire_timeout_ms",
    "tool_timeout_ms",
    "isolation",
    "token_cap",
    "max_report_tokens",
    "required_sections",
)


def read_roles(text: dict[str, Any], checks: tuple[str, ...]) -> tuple[Role, ...]:
    """Read every role, sorted by name.

    Args:
        text: the parsed file.
        checks: names of the operator's checks, which `verify` may name.

    Raises:
        ConfigFault: says which role and why.
    """
    file = Table(FILE, "", text)
    return tuple(_role(name, file.table(name), checks) for name in file.names())


def _role(name: str, table: Table, checks: tuple[str, ...]) -> Role:
    table.only(_WORDS)
    report_tokens = table.whole("max_report_tokens", 600, least=TOKENS_LEAST, most=TOKENS_MOST)
    role = Role(
        name=name,
        tier=table.name("tier"),
        depth_cap=table.whole("depth_cap", 0, most=DEPTH_MOST),
        tools=_tools(table),
        report_delivery=table.choice("report_delivery", Delivery, Delivery.NEXT_STEP),
        verify=_verify(table, checks),
        max_live=table.whole_or_unlimited("max_live", None),
        retire_timeout_ms=table.whole("retire_timeout_ms", 600_000, least=1, most=DAY_MS),
        tool_timeout_ms=table.whole("tool_timeout_ms", 1_800_000, least=1, most=DAY_MS),
        isolation=table.choice("isolation", Isolation, Isolation.SHARED),
        token_cap=table.whole("token_cap", 200_000, least=4 * (2 * report_tokens + 2_000)),
        max_report_tokens=report_tokens,
        required_sections=_sections(table),
    )
    if role.is_leaf and ToolClass.DELEGATE in role.tools:
        table.refuse("tools", "a leaf (depth_cap 0) must not hold delegate")
    return role


def _tools(table: Table) -> tuple[ToolClass, ...]:
    """Give the classes a role may use, without those it is denied."""
    denied = _classes(table, "deny_tools")
    return tuple(tool for tool in _classes(table, "tools") if tool not in denied)


def _classes(table: Table, word: str) -> tuple[ToolClass, ...]:
    found = table.once(word)
    channel = [tool for tool in found if tool in CHANNEL]
    if channel:
        names = " and ".join(channel)
        table.refuse(
            word, f"names {names}: every child has its report channel, no filter removes it"
        )
    for tool in found:
        if tool not in tuple(ToolClass):
            classes = ", ".join(ToolClass)
            table.refuse(word, f"{tool!r} is no tool class; there are {classes}")
    return tuple(ToolClass(tool) for tool in found)


def _verify(table: Table, checks: tuple[str, ...]) -> tuple[str, ...]:
    found = table.once("verify")
    for check in found:
        if check not in ("files", "scope", *checks):
            known = ", ".join(("files", "scope", *checks))
            table.refuse("verify", f"there is no check {check!r}; there are {known}")
    return found


def _sections(table: Table) -> tuple[str, ...]:
    found = table.once("required_sections")
    if len(found) > SECTIONS_MOST:
        table.refuse("required_sections", f"names more than {SECTIONS_MOST} sections")
    for section in found:
        if not (section.isprintable() and 1 <= len(section.encode()) <= SECTION_BYTES):
            problem = f"the name of a section is one line of 1 to {SECTION_BYTES} bytes"
            table.refuse("required_sections", problem)
    return found
