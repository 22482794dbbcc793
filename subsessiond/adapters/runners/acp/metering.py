"""The tokens an agent says a turn used, with its answer to the prompt."""

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any, Final

from msgspec.structs import replace

from subsessiond.adapters.runners.meter import Meter, usage_of
from subsessiond.core.tally import most
from subsessiond.model.commands import NoteUsage
from subsessiond.model.ids import NodeId
from subsessiond.model.role import UsageOf
from subsessiond.model.usage import Usage
from subsessiond.ports import Voice

NAMES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "input": "inputTokens",
        "cache_read": "cachedReadTokens",
        "cache_write": "cachedWriteTokens",
        "output": "outputTokens",
    }
)


class Metering:
    """Adds up one session.

    Args:
        voice: is told new totals.
        node_id: whose they are.
        figures: whether an answer's figures are of its turn, of the session so far, or of no use.
    """

    def __init__(self, voice: Voice, node_id: NodeId, figures: UsageOf) -> None:
        self._voice = voice
        self._node_id = node_id
        self._figures = figures
        self._meter = Meter()
        self._turns = 0
        self._told: Usage | None = None

    def take(self, answers: Iterable[Any]) -> None:
        """Take in all answers to the prompts of one turn.

        Why the greatest: a prompt that was taken into a running turn is answered with the figures
        of that turn once more, or with zeros.
        """
        if self._figures is UsageOf.NOTHING:
            return
        self._turns += 1
        read: Usage | None = None
        for answer in answers:
            read = most(read, figures_of(answer))
        if read is None:
            return
        if self._figures is UsageOf.TURN:
            self._meter.message(f"turn {self._turns}", read)
        else:
            self._meter.cumulative(read)
        total = self._meter.total()
        if total is not None and total != self._told:
            self._told = total
            now = self._voice.now()
            self._voice.tell(NoteUsage(node=self._node_id, usage=total, **now))


def figures_of(answer: Any) -> Usage | None:
    """Read the figures of one answer.

    Some agents count what came from a cache within the input; where their sum shows it, it is
    taken out of it.
    """
    said = answer.get("usage") if isinstance(answer, dict) else None
    if not isinstance(said, dict):
        return None
    usage = usage_of(said, NAMES)
    cached = (usage.cache_read or 0) + (usage.cache_write or 0)
    within = (usage.input or 0) + (usage.output or 0) == said.get("totalTokens")
    if cached and within and usage.input is not None and usage.input >= cached:
        return replace(usage, input=usage.input - cached)
    return usage
