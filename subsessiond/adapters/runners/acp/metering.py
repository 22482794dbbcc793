"""The tokens an agent says a turn used, with its answer to the prompt."""

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any, Final

from msgspec.structs import replace

from subsessiond.adapters.runners.meter import Meter, usage_of
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


QUOTA: Final[Mapping[str, str]] = MappingProxyType(
    {"input": "input_tokens", "output": "output_tokens"},
)
"""Words of Gemini CLI, which tells its figures beside the protocol's own place for them."""


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

        Why those that say the same count once: a prompt that was taken into a running turn may be
        answered with the figures of that turn once more. Others add up: one that came with the last
        words of a turn has a turn of its own, though both were open at once.
        """
        if self._figures is UsageOf.NOTHING:
            return
        read: list[Usage] = []
        for answer in answers:
            found = figures_of(answer)
            if found is not None and found not in read:
                read.append(found)
                self._read(found)
        total = self._meter.total()
        if total is not None and total != self._told:
            self._told = total
            now = self._voice.now()
            self._voice.tell(NoteUsage(node=self._node_id, usage=total, **now))

    def _read(self, figures: Usage) -> None:
        if self._figures is UsageOf.TURN:
            self._turns += 1
            self._meter.message(f"turn {self._turns}", figures)
        else:
            self._meter.cumulative(figures)


def figures_of(answer: Any) -> Usage | None:
    """Read the figures of one answer.

    Some agents count what came from a cache within the input; where their sum shows it, it is
    taken out of it.
    """
    said = answer.get("usage") if isinstance(answer, dict) else None
    if not isinstance(said, dict):
        return _of_quota(answer)
    usage = usage_of(said, NAMES)
    cached = (usage.cache_read or 0) + (usage.cache_write or 0)
    within = (usage.input or 0) + (usage.output or 0) == said.get("totalTokens")
    if cached and within and usage.input is not None and usage.input >= cached:
        return replace(usage, input=usage.input - cached)
    return usage


def _of_quota(answer: Any) -> Usage | None:
    """Read the figures that stand in `_meta.quota.token_count`."""
    for word in ("_meta", "quota", "token_count"):
        answer = answer.get(word) if isinstance(answer, dict) else None
    return usage_of(answer, QUOTA) if isinstance(answer, dict) else None
