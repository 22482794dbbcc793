import asyncio
import os

import pytest

from subsessiond.adapters.runners.lines import LINE_BYTES
from subsessiond.model.commands import (
    ConfirmStart,
    FailStart,
    NoteProcess,
    NoteSign,
)
from subsessiond.model.node import Phase, Status
from subsessiond.model.report import Outcome
from subsessiond.model.role import Channel, Probe
from subsessiond.model.usage import Usage
from tests.support.lineschild import Make, only_node, play
from tests.support.stage import Stage
from tests.support.transcripts import ListedTranscripts

USED = {"in": 10, "out": 2}


async def test_text_alone_is_a_failed_start(here: Stage, make: Make) -> None:
    """A program that prints no object never was up; the operator sees some of what it said."""
    child = await make({"raw": "Error: quota exceeded (429)\n"}, {"exit": 0})
    settled = await play(here, child)
    assert not here.told(ConfirmStart)
    (failed,) = here.told(FailStart)
    assert settled.reason == "start-failed"
    assert failed.why == settled.output
    assert settled.output == (
        "it exited with status 0 without a final before it printed any JSON object"
    )
    assert "quota exceeded (429)" in (settled.diagnostic or "")


async def test_noise_around_the_lines_hurts_nobody(here: Stage, make: Make) -> None:
    """Banners, blanks, colours, values that are no object, a last line without its end."""
    noise = '\ufeff=== hello ===\r\n\n\x1b[31mred\x1b[0m\n42\n"x"\nnull\n[1]\n{broken\n'
    closing = '{"type": "result", "result": "done"}'
    child = await make({"raw": noise}, {"say": "hm"}, {"raw": noise + closing}, {"exit": 0})
    settled = await play(here, child)
    assert settled.output == "done"
    signs = [sign.sign for sign in here.told(NoteSign)]
    assert signs == ["words", "closing-event"]


async def test_long_lines_are_read_and_too_long_ones_dropped(here: Stage, make: Make) -> None:
    """Whatever the size, the next line is read right; what was dropped is told to the operator."""
    sizes = (65_535, 65_536, 65_537, 1024 * 1024)
    steps = [{"long": size} for size in sizes]
    child = await make(*steps, {"long": LINE_BYTES + 1}, {"say": "x"}, {"exit": 3})
    settled = await play(here, child)
    assert "lines that were too long and not read: 1" in (settled.diagnostic or "")
    assert only_node(here).last_sign == "words"


async def test_a_flood_of_errors_holds_nobody_up(here: Stage, make: Make) -> None:
    """Standard error is drained, whatever stands there; only its end is kept."""
    flood = {"stderr": {"text": "x" * 1_000_000, "times": 11}}
    bad = {"stderr": {"hex": "fffe20656e64"}}
    settled = await play(here, await make(flood, {"say": "hm"}, bad, {"exit": 2}))
    assert settled.reason == "exit-status"
    assert (settled.diagnostic or "").endswith(" end")
    assert len((settled.diagnostic or "").encode()) <= 4_096


async def test_usage_is_counted_once(here: Stage, make: Make) -> None:
    """Lines of one message count once, a replay adds nothing, and a summary only checks."""
    one = {"line": {"type": "say", "text": "a", "id": "m1", "usage": USED}}
    two = {"line": {"type": "say", "text": "b", "id": "m2", "usage": {"in": 5, "out": 1}}}
    closing = {"close": {"result": "done", "summary": {"in": 999, "out": 999}}}
    await play(here, await make(one, one, one, two, one, closing))
    assert only_node(here).measured == Usage(input=15, output=3)


async def test_a_running_total_is_not_added(here: Stage, make: Make) -> None:
    """The highest total stands, and one that is lower changes nothing."""
    totals = [{"line": {"type": "say", "text": "a", "total": {"in": n}}} for n in (5, 9, 7)]
    await play(here, await make(*totals, {"close": "done"}))
    assert only_node(here).measured == Usage(input=9)


async def test_no_reading_is_no_figure(here: Stage, make: Make) -> None:
    """Who reports nothing has used an unknown number of tokens."""
    await play(here, await make({"close": "done"}))
    assert only_node(here).measured is None


async def test_closing_words_are_no_report_where_the_child_has_tools(
    here: Stage, make: Make
) -> None:
    """Who can report and did not has ended without a final, and nothing of it is passed on."""
    child = await make({"close": "I am done!"}, {"sleep": 600}, channel=Channel.MCP)
    settled = await play(here, child)
    assert (settled.outcome, settled.reason, settled.output) == (
        Outcome.FAILED,
        "ended-without-final",
        "",
    )


async def test_an_agent_is_up_once_it_has_listed_our_tools(here: Stage, make: Make) -> None:
    """Where it is to list them before its turn, its lines do not count as a start."""
    ready = here.folder / "ready"
    steps = ({"say": "a"}, {"touch": str(ready)}, {"sleep": 600})
    child = await make(*steps, channel=Channel.MCP, probe=Probe.BEFORE_TURN)
    running = asyncio.ensure_future(child.run())
    async with asyncio.timeout(30):
        while not ready.exists():
            await here.settled_queue()
        assert only_node(here).status is Status.CLAIMED
        here.channels.note(only_node(here).node_id)
        while only_node(here).status is Status.CLAIMED:
            await here.settled_queue()
    await child.stop()
    await running


async def test_an_agent_that_never_lists_our_tools_did_not_start(here: Stage, make: Make) -> None:
    """It has no way to report: whatever it says at its end, its start has failed."""
    child = await make({"close": "done"}, channel=Channel.MCP, probe=Probe.BEFORE_TURN)
    settled = await play(here, child)
    assert settled.reason == "start-failed"
    assert "before it had listed our tools" in settled.output


async def test_signs_come_from_events_alone(here: Stage, make: Make) -> None:
    """Unknown lines, noise and errors are no sign of life; a tool call is a phase."""
    go = here.folder / "go"
    steps = (
        {"line": {"type": "ping"}},
        {"raw": "tick\n"},
        {"stderr": {"text": "tick\n"}},
        {"line": {"type": "tool", "id": "1"}},
        {"waitFile": str(go)},
        {"line": {"type": "retry"}},
    )
    child = await make(*steps)
    running = asyncio.ensure_future(child.run())
    async with asyncio.timeout(30):
        while not here.told(NoteSign):
            await here.settled_queue()
        await here.settled_queue()
        assert only_node(here).phase is Phase.IN_TOOL
        go.touch()
        await running
    assert [sign.sign for sign in here.told(NoteSign)] == ["tool-start", "rate-limited"]
    await child.stop()


async def test_everything_goes_into_the_transcript(
    here: Stage, make: Make, transcripts: ListedTranscripts
) -> None:
    """What it was told and what it printed, noise and errors included."""
    await play(here, await make({"raw": "hello\n"}, {"stderr": {"text": "err"}}, {"close": "done"}))
    (written,) = transcripts.of.values()
    assert written.joined("in").startswith(b"Do this. STEPS")
    assert written.joined("out").startswith(b"hello\n{")
    assert written.joined("err") == b"err"
    assert written.closed


async def test_it_is_stopped_before_and_in_its_run(here: Stage, make: Make) -> None:
    """Stopping before the start lets nothing start; stopping in the run ends the process."""
    early = await make({"close": "done"})
    await early.stop()
    await early.run()
    assert not here.told(NoteProcess)
    late = await make({"say": "hm"}, {"sleep": 600})
    running = asyncio.ensure_future(late.run())
    async with asyncio.timeout(30):
        while not here.told(NoteSign):
            await here.settled_queue()
        await late.stop(hurry=True)
        await running
    (noted,) = here.told(NoteProcess)
    with pytest.raises(ProcessLookupError):
        os.kill(noted.identity.pid, 0)


async def test_what_is_said_to_it_waits_for_its_next_call(here: Stage, make: Make) -> None:
    """With our tools it may still read it until its end; without them nobody would."""
    deaf = await make({"close": "done"})
    assert await deaf.prompt("m.1", "hello") is False
    child = await make({"say": "a"}, {"close": "done"}, channel=Channel.MCP)
    saying = asyncio.ensure_future(child.prompt("m.2", "hello"))
    assert await child.prompt(None, "your final?") is False
    child.wake()
    assert not saying.done()
    await child.run()
    assert await saying is False
    await child.stop()
    await deaf.stop()
