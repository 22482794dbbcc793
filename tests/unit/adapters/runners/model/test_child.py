"""The loop of one child, asked for every end it can have."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest

from subsessiond.adapters.processes import LinuxProcesses
from subsessiond.adapters.runners.model import child as module
from subsessiond.adapters.runners.model import runner
from subsessiond.adapters.runners.model.child import UNREADABLE_MOST
from subsessiond.core.words import ASK_FINAL
from subsessiond.model.commands import (
    ConfirmStart,
    EndTurn,
    FailStart,
    NoteSign,
)
from subsessiond.model.node import Author, Phase, Status, StopReason
from subsessiond.model.usage import Usage
from tests.support.looped import final
from tests.support.looptable import SECRET, LoopTable, table
from tests.support.stage import Stage

DIALECTS = ("openai", "anthropic")


@pytest.fixture
async def at(here: Stage, processes: LinuxProcesses) -> AsyncIterator[LoopTable]:
    """A table."""
    async with table(here, processes) as made:
        yield made


@pytest.mark.scenario("S40")
@pytest.mark.parametrize("dialect", DIALECTS)
async def test_a_child_works_and_reports(at: LoopTable, dialect: str) -> None:
    """It writes what it owns, runs a command, sends its final, and is asked no more; the figures
    are the server's, to the token.
    """
    child = await at.child(
        {"call": "write_file", "args": {"path": "docs/a.md", "text": "hello"}},
        {"text": "now I look", "call": "run_command", "args": {"command": "cat docs/a.md"}},
        final("all is well"),
        dialect=dialect,
        owns=("docs/**",),
    )
    await child.run()
    await at.here.settled_queue()
    assert at.here.outcomes() == []
    node = at.here.node(at.here.told(ConfirmStart)[0].node)
    assert node.status is Status.SETTLED
    assert node.settlement is not None
    assert (node.settlement.output, node.settlement.author) == ("all is well", Author.CHILD)
    assert at.stub.faults == []
    assert at.stub.requests[-1].results == ("written, 5 bytes", "exit status 0\nhello")
    told = at.stub.total()
    assert (at.usage().input, at.usage().output) == (told.input, told.output)
    assert node.measured == at.usage()
    assert len(at.stub.requests) == 3


@pytest.mark.scenario("S40")
async def test_figures_of_the_cache_are_told_apart(at: LoopTable) -> None:
    """What was read from it and written to it is no input; where only one is told, one is known."""
    use = {"usage": {"input": 100, "cache_read": 70, "cache_write": 5, "output": 9}}
    await (await at.child({**final(), **use}, dialect="anthropic")).run()
    assert at.usage() == Usage(input=100, cache_read=70, cache_write=5, output=9)
    use = {"usage": {"input": 100, "cache_read": 70, "output": 9}}
    await (await at.child({**final(), **use})).run()
    assert at.usage() == Usage(input=100, cache_read=70, output=9)


async def test_what_it_wrote_is_counted_and_not_what_it_was_told(at: LoopTable) -> None:
    """Its words count, and its opening text, however long, does not."""
    ended = await at.play(
        {"text": "hmm", "finish": "limit"}, owns=tuple(f"{n:0200}.md" for n in range(9))
    )
    assert ended.produced_bytes == len("hmm")


@pytest.mark.scenario("S02")
@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize(
    ("step", "reason", "stop"),
    [
        ({"text": "I think", "finish": "limit"}, "max-tokens", StopReason.MAX_TOKENS),
        ({"text": "no", "finish": "refusal"}, "refusal", StopReason.REFUSAL),
        ({**final(), "finish": "limit"}, "max-tokens", StopReason.MAX_TOKENS),
        ({"text": "x" * 1_000, "repeat": 300, "chunk": 9_000}, "max-tokens", StopReason.MAX_TOKENS),
    ],
)
async def test_an_answer_that_is_no_answer_ends_the_run(
    at: LoopTable, dialect: str, step: dict[str, Any], reason: str, stop: StopReason
) -> None:
    """S02 (e): cut off or withheld, it is no result, and its words are nobody's report."""
    ended = await at.play(step, dialect=dialect)
    assert (ended.reason, ended.stop_reason, ended.output) == (reason, stop, "")
    assert at.tools.called == []


@pytest.mark.scenario("S02")
@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize(
    ("step", "words", "requests"),
    [
        ({"error": 401}, "HTTP status 401", 1),
        ({"error": 429}, "HTTP status 429, 6 requests in a row", 6),
        ({"error": 500}, "HTTP status 500, 6 requests in a row", 6),
        ({"error": 429, "retry_after": 3_600}, "HTTP status 429", 1),
        ({"junk": "<html>gateway</html>"}, "no answer, 6 requests in a row", 6),
        ({"text": "hello " * 40, "cut": 3}, "no answer, 6 requests in a row", 6),
    ],
)
async def test_a_provider_that_fails_is_a_failure(
    at: LoopTable, dialect: str, step: dict[str, Any], words: str, requests: int
) -> None:
    """S02 (e): after some requests where it may pass, at once where not; the operator reads why."""
    ended = await at.play(step, dialect=dialect)
    assert (ended.reason, ended.stop_reason) == ("model-error", StopReason.ERROR)
    assert ended.diagnostic is not None
    assert words in ended.diagnostic
    assert (ended.output, len(at.stub.requests)) == ("", requests)


@pytest.mark.scenario("S02")
async def test_a_limit_that_passes_is_waited_for(at: LoopTable) -> None:
    """The child counts as rate-limited meanwhile, and goes on where it was."""
    child = await at.child({"error": 429, "retry_after": 0, "times": 2, **final("after all")})
    await child.run()
    await at.here.settled_queue()
    assert at.here.outcomes() == []
    assert [r.status for r in at.stub.requests] == [429, 429, 200]
    assert Phase.RATE_LIMITED in [sign.phase for sign in at.here.told(NoteSign)]


@pytest.mark.scenario("S38")
async def test_no_key_leaves_in_an_error(at: LoopTable) -> None:
    """S38: neither the one that is sent, nor one in the endpoint's address, wherever it is told."""
    address = f"{at.stub.url}/nowhere?api_key=sk-in-the-address-0123456789"
    ended = await at.play({"text": "x"}, endpoint=address)
    assert ended.diagnostic is not None
    assert "404" in ended.diagnostic
    written = b"".join(t.joined(kind) for t in at.transcripts.of.values() for kind in ("in", "out"))
    for told in (ended.diagnostic, repr(at.here.voice.told), written.decode()):
        assert SECRET not in told
        assert "sk-in-the-address" not in told


async def test_a_turn_without_a_report_is_asked_for_one(at: LoopTable) -> None:
    """Once; what the model says then is heard in a turn of its own."""
    child = await at.child({"text": "done, I think"}, when={"without a final": [final("asked")]})
    running = asyncio.ensure_future(child.run())
    await at.stub.wait_until(lambda stub: len(stub.requests) == 1)
    assert await child.prompt(None, ASK_FINAL)
    await running
    await at.here.settled_queue()
    assert at.here.outcomes() == []
    node = at.here.node(at.here.told(ConfirmStart)[0].node)
    assert node.settlement is not None
    assert node.settlement.output == "asked"


@pytest.mark.scenario("S22")
async def test_what_is_said_is_heard_before_the_next_request(at: LoopTable) -> None:
    """S22 (1): in the middle of a turn, between two steps, after the tool that was running."""
    child = await at.child(
        {"call": "run_command", "args": {"command": "until [ -e go ]; do sleep 0.01; done"}},
        final(),
    )
    running = asyncio.ensure_future(child.run())
    await at.stub.wait_until(lambda stub: len(stub.requests) == 1)
    saying = [asyncio.ensure_future(child.prompt(None, text)) for text in ("one!", "two!")]
    await asyncio.sleep(0)
    assert not any(task.done() for task in saying)
    (at.here.folder / "go").touch()
    assert await asyncio.gather(*saying) == [True, True]
    await running
    assert not at.stub.requests[0].holds("one!")
    body = at.stub.requests[1].raw
    assert 0 < body.index(b"exit status 0") < body.index(b"one!") < body.index(b"two!")


async def test_a_refused_tool_is_told_and_a_blocked_final_asked_for(at: LoopTable) -> None:
    """The call is answered in words; when the turn ends over it, one prompt names the blocker."""
    child = await at.child(
        {"call": "write_file", "args": {"path": "b.md", "text": "x"}},
        {"text": "I give up"},
        owns=("a.md",),
        when={"after you were refused": [final("no", "blocked", blockers=["approval"])]},
    )
    await child.run()
    await at.here.settled_queue()
    assert at.here.told(EndTurn) == []
    assert "none of the files you own" in at.stub.requests[1].results[-1]
    assert at.stub.requests[2].holds("approval-required: fs write b.md")
    assert not (at.here.folder / "b.md").exists()
    node = at.here.node(at.here.told(ConfirmStart)[0].node)
    assert node.settlement is not None
    assert node.settlement.blockers == ("approval",)


@pytest.mark.scenario("S04")
async def test_a_reader_is_offered_what_it_may_use_and_can_report(at: LoopTable) -> None:
    """S04: no filter takes the report away, and what is not allowed is not offered either."""
    child = await at.child(final(), role="reader")
    await child.run()
    assert at.stub.requests[0].offered == (
        *("report", "subsession_checkpoint"),
        *("read_file", "list_files", "search_files"),
    )


async def test_calls_that_nobody_can_read_are_told_and_bounded(
    at: LoopTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each is answered with what is wrong; a model that never learns ends its child."""
    steps = [{"call": "read_file", "args": {"path": n}} for n in range(UNREADABLE_MOST)]
    ended = await at.play(*steps)
    assert ended.reason == "model-error"
    assert at.stub.requests[1].results == ("Not done: path must be text.",)
    assert len(at.stub.requests) == UNREADABLE_MOST
    monkeypatch.setattr(module, "STEPS_MOST", 3)
    at.here.voice.told.clear()
    again = [{"call": "list_files", "args": {}} for _ in range(4)]
    assert (await at.play(*again)).reason == "turn-limit"


@pytest.mark.scenario("S21")
async def test_a_stop_ends_the_request_and_the_command_at_once(at: LoopTable) -> None:
    """S21: only of the child that is stopped; the other one goes on."""
    first = await at.child({"wait": "held", **final()})
    second = await at.child({"wait": "held", **final()})
    runs = [asyncio.ensure_future(child.run()) for child in (first, second)]
    await at.stub.wait_until(lambda stub: len(stub.requests) == 2 and "held" in stub.held)
    assert (await first.stop()).leftovers == ()
    await runs[0]
    at.stub.release("held")
    await runs[1]
    await at.here.settled_queue()
    assert len(at.tools.called) == 1
    assert await first.prompt(None, "too late") is False
    await first.stop()
    third = await at.child(final())
    await third.stop()
    await third.run()
    assert at.here.outcomes() == []


async def test_a_conversation_that_cannot_begin_fails_the_start(
    at: LoopTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the library refuses is told in its words."""

    def refuse(*_: object) -> Any:
        raise ValueError("this model is not known")

    monkeypatch.setattr(runner, "load_provider", lambda: refuse)
    child = await at.child(final())
    await child.run()
    (failed,) = at.here.outcomes()
    assert isinstance(failed, FailStart)
    assert failed.why == "the model stub-model cannot be asked: this model is not known"


async def test_an_endpoint_that_nobody_serves_is_named_with_its_cause(at: LoopTable) -> None:
    """The operator reads more than that there is no connection."""
    ended = await at.play(final(), endpoint="http://127.0.0.1:9/v1")
    assert ended.reason == "model-error"
    assert ended.diagnostic is not None
    assert "ConnectError" in ended.diagnostic


async def test_its_mail_is_read_at_the_next_step(at: LoopTable) -> None:
    """Who woke it is heard between two requests, all that waits at once."""
    child = await at.child({"text": "waiting"}, when={"No messages|Background": [final()]})
    running = asyncio.ensure_future(child.run())
    await at.stub.wait_until(lambda stub: len(stub.requests) == 1)
    child.wake()
    await asyncio.sleep(0)
    assert not running.done()
    assert await child.prompt(None, "Background") is True
    await running


async def test_a_transcript_holds_both_sides(at: LoopTable) -> None:
    """What was said, what was called and what was answered, in order."""
    child = await at.child({"text": "let me see", "call": "list_files", "args": {}}, final("end"))
    await child.run()
    (kept,) = at.transcripts.of.values()
    assert kept.closed
    assert [kind for kind, _ in kept.written] == ["in", "out", "in", "out", "in"]
    assert b"let me see" in kept.joined("out")
