import asyncio
import os
import signal
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from subsessiond.adapters.processes import LinuxProcesses
from subsessiond.adapters.runners.agentprocess import Host
from subsessiond.adapters.runners.jsonl.child import LinesChild
from subsessiond.adapters.runners.jsonl.runner import LinesRunner
from subsessiond.adapters.runners.lines import LINE_BYTES
from subsessiond.model.commands import (
    ConfirmStart,
    EndChild,
    FailStart,
    NoteProcess,
    NoteSign,
    SubmitReport,
)
from subsessiond.model.node import Author, Node, Phase, Settlement, Status, StopReason
from subsessiond.model.report import Outcome
from subsessiond.model.role import Channel, Probe
from subsessiond.model.usage import Usage
from subsessiond.rpc.schema import schema_fault
from tests.support.headless import profile, prompt
from tests.support.stage import Stage
from tests.support.transcripts import ListedTranscripts

Make = Callable[..., Awaitable[LinesChild]]
USED = {"in": 10, "out": 2}


@pytest.fixture
def transcripts() -> ListedTranscripts:
    """Transcripts in memory."""
    return ListedTranscripts()


@pytest.fixture
def make(here: Stage, processes: LinuxProcesses, transcripts: ListedTranscripts) -> Make:
    """Make children whose agent plays steps; further fields are its profile's."""
    host = Host(processes, transcripts, ("shim",), "/run/s.sock", here.folder / "scratch")
    runner = LinesRunner(host, schema_fault)

    async def make_one(
        *steps: dict[str, Any], brief: dict[str, Any] | None = None, **fields: Any
    ) -> LinesChild:
        env = tuple(here.environment().items())
        order = await here.order(
            profile(**fields), env, role="worker", mission=prompt(*steps), **(brief or {})
        )
        return runner.start(order, here.voice)

    return make_one


def only_node(here: Stage) -> Node:
    """Give the one child there is."""
    (node,) = [n for n in here.registry.tree.nodes.values() if not n.is_root]
    return node


async def play(here: Stage, child: LinesChild) -> Settlement:
    """Let a child live to its end, and give what was settled."""
    async with asyncio.timeout(30):
        await child.run()
        await child.stop()
    await here.settled_queue()
    settlement = only_node(here).settlement
    assert settlement is not None
    return settlement


async def test_a_closing_result_is_the_childs_final(here: Stage, make: Make) -> None:
    """Its text is the child's own, whole, and the node completes by it."""
    settled = await play(here, await make({"say": "working"}, {"close": "All done: é."}))
    assert (settled.outcome, settled.reason, settled.author, settled.output) == (
        Outcome.COMPLETED,
        "final-report",
        Author.CHILD,
        "All done: é.",
    )
    assert not here.told(EndChild)


async def test_without_a_closing_text_the_last_words_count(here: Stage, make: Make) -> None:
    """Some programs say their result before the event that ends them."""
    steps: tuple[dict[str, Any], ...] = ({"say": "first"}, {"say": "the answer"}, {"close": {}})
    settled = await play(here, await make(*steps))
    assert (settled.reason, settled.output) == ("final-report", "the answer")


async def test_data_of_a_closing_result_is_held_to_the_schema(here: Stage, make: Make) -> None:
    """What the schema asks for stands in the final; what it refuses fails the child."""
    schema = {"type": "object", "required": ["rows"]}
    good = await make({"close": {"result": "x", "data": {"rows": 3}}}, brief={"schema": schema})
    settled = await play(here, good)
    assert (settled.reason, settled.structured) == ("final-report", {"rows": 3})


@pytest.mark.parametrize(
    ("step", "brief", "code"),
    [
        ({"close": "x" * 1_801}, {}, "REPORT_TOO_LARGE"),
        ({"close": "x" * 200}, {"report_tokens": 50}, "REPORT_TOO_LARGE"),
        ({"close": ""}, {}, "REPORT_INVALID"),
        ({"close": {}}, {}, "REPORT_INVALID"),
        ({"close": "x"}, {"sections": ("risks",)}, "REPORT_CONTRACT"),
        ({"close": {"result": "x", "data": 5}}, {"schema": {"type": "object"}}, "OUTPUT_SCHEMA"),
        ({"close": "x"}, {"schema": {"type": "object"}}, "OUTPUT_SCHEMA"),
    ],
)
async def test_a_refused_closing_result_fails_the_child_and_says_why(
    here: Stage, make: Make, step: dict[str, Any], brief: dict[str, Any], code: str
) -> None:
    """The process is over and cannot mend it; none of its words is passed on cut."""
    settled = await play(here, await make(step, brief=brief))
    assert (settled.outcome, settled.reason, settled.author) == (
        Outcome.FAILED,
        "closing-result-refused",
        Author.RUNTIME,
    )
    assert settled.output.startswith(f"Its closing result was refused: {code}.")
    assert "xx" not in settled.output
    assert code in (settled.diagnostic or "")


async def test_words_without_measure_are_refused_by_their_size(here: Stage, make: Make) -> None:
    """Last words of more than is kept are refused with the size that they had."""
    settled = await play(here, await make({"say": "y" * 100_000}, {"close": {}}))
    assert settled.reason == "closing-result-refused"
    assert "Limit 1800 bytes, it had 100000." in settled.output


async def test_a_flagged_closing_event_is_a_failure(here: Stage, make: Make) -> None:
    """Though it says success and exits 0: the error goes to the operator, not to the parent."""
    event = {"subtype": "success", "is_error": True, "result": "API Error: 529 overloaded"}
    settled = await play(here, await make({"close": event}, {"exit": 0}))
    assert (settled.outcome, settled.reason, settled.stop_reason, settled.output) == (
        Outcome.FAILED,
        "agent-error",
        StopReason.ERROR,
        "",
    )
    assert "API Error: 529 overloaded" in (settled.diagnostic or "")


@pytest.mark.parametrize(
    ("subtype", "reason", "stop_reason"),
    [
        ("max_turns", "turn-limit", StopReason.ERROR),
        ("max_tokens", "max-tokens", StopReason.MAX_TOKENS),
        ("refusal", "refusal", StopReason.REFUSAL),
    ],
)
async def test_a_limit_in_the_closing_event_is_the_reason(
    here: Stage, make: Make, subtype: str, reason: str, stop_reason: StopReason
) -> None:
    """A run that stopped at a limit has not finished, whatever its text says; it may live on."""
    event = {"subtype": subtype, "result": "as far as I got"}
    settled = await play(here, await make({"close": event}, {"sleep": 600}))
    assert (settled.reason, settled.stop_reason, settled.output) == (reason, stop_reason, "")


async def test_an_error_before_an_exit_of_0_is_a_failure(here: Stage, make: Make) -> None:
    """The last error that was told stands in the diagnostic."""
    step = {"line": {"type": "error", "error": "429 rate limit"}}
    settled = await play(here, await make(step, {"exit": 0}))
    assert settled.reason == "agent-error"
    assert "429 rate limit" in (settled.diagnostic or "")


@pytest.mark.parametrize(
    ("step", "reason", "words"),
    [
        ({"exit": 0}, "ended-without-final", "status 0"),
        ({"exit": 3}, "exit-status", "status 3"),
        ({"kill": signal.SIGKILL}, "killed-by-signal", "signal 9"),
    ],
)
async def test_an_exit_without_a_result_settles_the_child(
    here: Stage, make: Make, step: dict[str, Any], reason: str, words: str
) -> None:
    """Each way to leave has its reason, and what it wrote to standard error is kept."""
    steps = ({"say": "hm"}, {"stderr": {"text": "oh no"}}, step)
    settled = await play(here, await make(*steps))
    assert (settled.outcome, settled.reason) == (Outcome.FAILED, reason)
    assert words in (settled.diagnostic or "")
    assert "stderr: oh no" in (settled.diagnostic or "")
    assert settled.produced_bytes == len('{"type": "say", "text": "hm"}\n') + len("oh no")


async def test_output_that_ends_though_the_program_lives(here: Stage, make: Make) -> None:
    """Who closed its output can say nothing any more."""
    settled = await play(here, await make({"say": "hm"}, {"closeOut": 1}, {"sleep": 600}))
    assert settled.reason == "output-closed"


async def test_a_result_counts_though_the_program_hangs(here: Stage, make: Make) -> None:
    """The result is used at once; the program has its grace and is then let go of."""
    child = await make({"close": "done"}, {"say": "late"}, {"close": "later"}, {"sleep": 600})
    settled = await play(here, child)
    assert (settled.outcome, settled.output) == (Outcome.COMPLETED, "done")
    assert len(here.told(SubmitReport)) == 1


async def test_a_turn_that_ends_without_a_result_is_waited_for_so_long(
    here: Stage, make: Make
) -> None:
    """After the grace the child fails, and the reason says that no result came."""
    last = {"line": {"type": "say", "text": "bye", "stop": "end_turn"}}
    settled = await play(here, await make(last, {"sleep": 600}))
    assert (settled.outcome, settled.reason) == (Outcome.FAILED, "no-closing-event")


async def test_a_turn_that_goes_on_is_not_over(here: Stage, make: Make) -> None:
    """What is said after the last message of a turn stops the wait for a result."""
    last = {"line": {"type": "say", "text": "bye", "stop": "end_turn"}}
    more = ({"line": {"type": "tool", "id": "1"}}, {"sleep": 0.7}, {"close": "done"})
    settled = await play(here, await make(last, *more))
    assert settled.output == "done"


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
