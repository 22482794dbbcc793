"""The first thing a child reads, and how it is told to report."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from subsessiond.core.bounds import one_line
from subsessiond.model.base import Value
from subsessiond.model.brief import Brief
from subsessiond.model.node import Node
from subsessiond.model.role import Channel

GUIDANCE = (
    "Call the report tool once before you finish. Report earlier when a finding changes what the "
    "agent that started you should do next. A report reaches only the agent that started you. "
    "Reporting does not end your turn."
)

GUIDANCE_BY_SHELL = (
    "Report with a shell command once before you finish: subsession report --stage final "
    "--outcome completed 'what came of it' (or --outcome blocked with --blocker 'what is in the "
    "way', or --outcome failed). Report earlier when a finding (--stage finding) changes what the "
    "agent that started you should do next. A report reaches only the agent that started you. "
    "Reporting does not end your turn. Save where you stand with subsession checkpoint; both "
    "explain themselves with --help."
)

GUIDANCE_BY_CLOSING = (
    "The text with which you end is your one report, and it is all that reaches the agent that "
    "started you: make it complete in itself. If something keeps you from finishing, end and say "
    "what it is."
)

GUIDANCE_BY: Final[Mapping[Channel, str]] = MappingProxyType(
    {
        Channel.MCP: GUIDANCE,
        Channel.CLI: GUIDANCE_BY_SHELL,
        Channel.CLOSING_RESULT: GUIDANCE_BY_CLOSING,
    }
)
"""How a child is told to report, by how it can."""


def opening_text(node: Node, channel: Channel = Channel.MCP) -> str:
    """Write the first thing a child reads: mission, what it owns, contract, letter."""
    terms = Terms(
        owns=node.owns,
        max_report_tokens=node.max_report_tokens,
        required_sections=node.required_sections,
        letter=node.letter,
        channel=channel,
        preface=node.brief.preface if node.brief is not None else "",
    )
    return opening_of(node.brief, terms)


class Terms(Value, frozen=True, kw_only=True):
    """What a child is told beside its brief."""

    owns: tuple[str, ...]
    max_report_tokens: int
    required_sections: tuple[str, ...]
    letter: str
    channel: Channel = Channel.MCP
    preface: str = ""
    """What a role of the workspace says to all its children: first, so that caches hold it."""


def opening_of(brief: Brief | None, terms: Terms) -> str:
    """Write the opening text of a child that may not be admitted yet."""
    owned = ", ".join(terms.owns)
    owns = f"Files you own: {owned}" if owned else "You own no files: read only."
    contract = f"Your final report may have at most {terms.max_report_tokens} tokens."
    if terms.required_sections:
        contract += f" It needs these sections: {', '.join(terms.required_sections)}."
    context = "\n".join(brief.context) if brief else ""
    also = f"See also:\n{context}" if context else ""
    guidance = GUIDANCE_BY[terms.channel]
    mission = brief.mission if brief else ""
    parts = (terms.preface, mission, also, owns, contract, guidance, terms.letter)
    return "\n\n".join(part for part in parts if part)


def title_of(mission: str) -> str:
    """Make a title of at most 120 bytes out of a mission."""
    first = mission.strip().split("\n", 1)[0]
    return one_line(first, 120)
