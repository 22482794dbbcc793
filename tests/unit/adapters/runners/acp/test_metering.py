from typing import Any

import pytest

from subsessiond.adapters.runners.acp.metering import Metering, figures_of
from subsessiond.model.commands import NoteUsage
from subsessiond.model.role import UsageOf
from subsessiond.model.usage import Usage
from tests.support.stage import Stage


def used(given: int, taken: int, **more: Any) -> dict[str, Any]:
    """Make the answer to a prompt."""
    usage = {"inputTokens": given, "outputTokens": taken, **more}
    return {"stopReason": "end_turn", "usage": usage}


def told(here: Stage) -> list[Usage]:
    """Give the totals that were told."""
    return [note.usage for note in here.told(NoteUsage)]


async def test_figures_of_turns_are_added_up(here: Stage) -> None:
    """Two turns with the same figures are two turns."""
    metering = Metering(here.voice, here.root, UsageOf.TURN)
    metering.take([used(100, 10)])
    metering.take([used(100, 10)])
    assert told(here) == [Usage(input=100, output=10), Usage(input=200, output=20)]


async def test_figures_of_a_session_are_not_added_up(here: Stage) -> None:
    """Running totals are taken as they are, and one that is lower than before changes nothing."""
    metering = Metering(here.voice, here.root, UsageOf.SESSION)
    for given in (100, 250, 90, 250, 300):
        metering.take([used(given, given // 10)])
    assert [usage.input for usage in told(here)] == [100, 250, 300]


async def test_a_prompt_with_a_turn_of_its_own_is_counted(here: Stage) -> None:
    """What is said with the last words of a turn is answered beside it, with own figures."""
    metering = Metering(here.voice, here.root, UsageOf.TURN)
    metering.take([used(500, 5), used(700, 7)])
    assert told(here) == [Usage(input=1_200, output=12)]


async def test_figures_of_less_than_a_turn_are_not_read(here: Stage) -> None:
    """Who tells of a turn's last request alone is not measured at all."""
    metering = Metering(here.voice, here.root, UsageOf.NOTHING)
    metering.take([used(100, 10)])
    assert told(here) == []


@pytest.mark.parametrize("other", [used(0, 0), used(500, 5)])
async def test_a_prompt_taken_into_a_turn_is_no_turn(here: Stage, other: Any) -> None:
    """Its answer repeats the figures of the turn, or has zeros."""
    metering = Metering(here.voice, here.root, UsageOf.TURN)
    metering.take([other, used(500, 5)])
    assert told(here) == [Usage(input=500, output=5)]


@pytest.mark.parametrize(
    "answer",
    [
        None,
        {},
        {"usage": None},
        {"usage": 3},
        {"_meta": {"usage": {"inputTokens": 5}}},
        {"usage": {"inputTokens": "many", "outputTokens": -3}},
    ],
)
async def test_nothing_measured_is_nothing_told(here: Stage, answer: Any) -> None:
    """An agent that gives no figures is not said to have used none."""
    metering = Metering(here.voice, here.root, UsageOf.TURN)
    metering.take([answer])
    metering.take([])
    assert told(here) == []


def test_what_came_from_a_cache_is_not_counted_twice() -> None:
    """Where the sum shows that the input holds it, it is taken out of the input."""
    within = used(100, 10, cachedReadTokens=80, cachedWriteTokens=5, totalTokens=110)
    assert figures_of(within) == Usage(input=15, cache_read=80, cache_write=5, output=10)
    beside = used(100, 10, cachedReadTokens=80, cachedWriteTokens=5, totalTokens=195)
    assert figures_of(beside) == Usage(input=100, cache_read=80, cache_write=5, output=10)
    odd = used(10, 10, cachedReadTokens=80, totalTokens=20)
    assert figures_of(odd) == Usage(input=10, cache_read=80, output=10)


def test_figures_beside_the_protocols_place_are_read_where_that_is_empty() -> None:
    """Gemini CLI tells a turn's figures as a quota; what stands in its place comes first."""
    quota = {"_meta": {"quota": {"token_count": {"input_tokens": 64, "output_tokens": 7}}}}
    assert figures_of(quota) == Usage(input=64, output=7)
    assert figures_of({**quota, **used(5, 1)}) == Usage(input=5, output=1)
    assert figures_of({"_meta": {"quota": {"token_count": 3}}}) is None
    assert figures_of({"_meta": {"quota": []}}) is None
