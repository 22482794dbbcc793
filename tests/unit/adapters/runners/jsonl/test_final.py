from typing import Any

import pytest
from msgspec.structs import replace

from subsessiond.adapters.runners.jsonl.course import Spoken
from subsessiond.adapters.runners.jsonl.final import AGAIN_MOST, final_of, submit
from subsessiond.adapters.runners.jsonl.reading import Closing
from subsessiond.model.commands import ClientCommand, SubmitReport
from subsessiond.model.decision import Reply
from subsessiond.model.node import Status
from subsessiond.model.rejection import Code, Rejection
from subsessiond.model.report import Report, Stage
from subsessiond.rpc.schema import schema_fault
from tests.support.headless import profile
from tests.support.stage import HeardVoice
from tests.support.stage import Stage as Scene


class LameVoice(HeardVoice):
    """A voice whose first words are refused."""

    refusals: list[Rejection]

    async def submit(self, command: ClientCommand) -> Reply | Rejection | None:
        """Refuse, as long as refusals are left."""
        if self.refusals:
            return self.refusals.pop()
        return await super().submit(command)


def lame(here: Scene, *refusals: Rejection) -> LameVoice:
    """Make a voice that is refused so often."""
    voice = LameVoice(here.registry, here.clock, here.ids, here.channels)
    voice.told, voice.refusals = [], list(refusals)
    return voice


async def final(here: Scene, closing: Closing, spoken: Spoken, **fields: Any) -> SubmitReport:
    """Make the final of a child."""
    order = await here.order(profile(), role="worker", **fields)
    return await final_of(closing, spoken, order.node, here.voice, schema_fault)


async def test_the_closing_text_is_taken_as_it_is(here: Scene) -> None:
    """It is a completed final in the child's own name, and its last words do not count."""
    made = await final(here, Closing(text=" as it is\n"), Spoken(text="other", bytes_said=5))
    assert isinstance(made.report, Report)
    assert (made.report.stage, made.report.output) == (Stage.FINAL, " as it is\n")
    assert made.caller.node_id == made.node


async def test_words_that_were_not_kept_have_their_size(here: Scene) -> None:
    """The gate sees how many there were."""
    made = await final(here, Closing(), Spoken(text="", bytes_said=70_000))
    assert made.size_bytes == 70_000


async def test_missing_data_is_a_fault_where_a_schema_asks_for_it(here: Scene) -> None:
    """No data satisfies no schema."""
    made = await final(here, Closing(text="x"), Spoken(), schema={"type": "object"})
    assert made.schema_fault == "structured is required by the brief's schema"


@pytest.mark.parametrize("code", [Code.STORE_UNAVAILABLE, Code.BUSY])
async def test_a_store_that_cannot_just_now_is_asked_again(here: Scene, code: Code) -> None:
    """What says nothing of the report is no refusal of it."""
    made = await final(here, Closing(text="done"), Spoken())
    passing = Rejection(code=code, step="commit")
    assert await submit(made, lame(here, passing, passing), again_s=0) is None
    assert here.node(made.node).status is Status.SETTLED


async def test_it_is_not_asked_for_ever(here: Scene) -> None:
    """A store that stays away is the refusal, in the end."""
    made = await final(here, Closing(text="done"), Spoken())
    away = Rejection(code=Code.STORE_UNAVAILABLE, step="commit")
    voice = lame(here, *[away] * (2 * AGAIN_MOST))
    assert await submit(made, voice, again_s=0) == away
    assert len(voice.refusals) == AGAIN_MOST - 1


async def test_a_refused_report_is_not_said_twice(here: Scene) -> None:
    """A gate that refuses it once refuses it again."""
    made = await final(here, Closing(text="x"), Spoken())
    voice = lame(here)
    refused = await submit(replace(made, size_bytes=10**6), voice)
    assert isinstance(refused, Rejection)
    assert refused.code is Code.REPORT_TOO_LARGE
    assert len(voice.told) == 1
