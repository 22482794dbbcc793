import asyncio
import os
import signal
import sys
from typing import Any

import pytest
from msgspec.structs import replace

from subsessiond.adapters.processes import LinuxProcesses
from subsessiond.adapters.runners.command import (
    FRAME_BYTES,
    KEEP_BYTES,
    CommandChild,
    CommandRunner,
    last_lines,
    room_of,
)
from subsessiond.core.bounds import bytes_of_tokens, size_bytes
from subsessiond.model.brief import ReportContract
from subsessiond.model.commands import ConfirmStart, EndChild, FailStart, NoteSign
from subsessiond.model.node import Author, Phase, Status
from subsessiond.model.process import Exit
from subsessiond.model.report import Outcome
from subsessiond.model.role import AgentProfile
from tests.support.stage import Stage
from tests.support.transcripts import ListedTranscripts

PYTHON = sys.executable


async def play(here: Stage, processes: LinuxProcesses, *argv: str, **fields: Any) -> EndChild:
    """Run a program to its end and give what was told of it."""
    order = await here.command(*argv, **fields)
    child = CommandRunner(processes, ListedTranscripts()).start(order, here.voice)
    await child.run()
    await child.stop()
    told = here.outcomes()
    assert len(told) == 1
    assert isinstance(told[0], EndChild)
    return told[0]


async def test_a_program_that_succeeds_is_completed(here: Stage, processes: LinuxProcesses) -> None:
    """Exit status 0 is completed; the runtime's report says so and shows the last lines."""
    ended = await play(here, processes, "sh", "-c", "echo one; echo 2 passed in 0.1s")
    assert (ended.outcome, ended.reason) == (Outcome.COMPLETED, "exited")
    assert ended.output.startswith("The command exited with status 0 after ")
    assert "; 2 lines of output.\nSummary: 2 passed in 0.1s\nLast lines:\none\n" in ended.output
    assert ended.diagnostic is None
    await here.settled_queue()
    node = here.node(ended.node)
    assert node.status is Status.SETTLED
    assert node.settlement is not None
    assert node.settlement.author is Author.RUNTIME
    assert node.settlement.output == ended.output


async def test_it_is_in_a_tool_while_it_runs(here: Stage, processes: LinuxProcesses) -> None:
    """A program counts as one open tool call, so that its silence has the longer limit."""
    await play(here, processes, "true")
    (start,) = here.told(ConfirmStart)
    (sign,) = here.told(NoteSign)
    assert start.identity is not None
    assert sign.phase is Phase.IN_TOOL


async def test_a_program_that_fails_is_failed(here: Stage, processes: LinuxProcesses) -> None:
    """Another status is failed; its errors are the diagnostic, and shown where no output is."""
    ended = await play(here, processes, "sh", "-c", "echo it broke >&2; exit 3")
    assert (ended.outcome, ended.reason) == (Outcome.FAILED, "exit-status")
    assert "status 3" in ended.output
    assert "; 0 lines of output, 1 line on standard error.\n" in ended.output
    assert ended.output.endswith("Last lines:\nit broke")
    assert ended.diagnostic == "it broke"


async def test_lines_of_both_streams_are_counted(here: Stage, processes: LinuxProcesses) -> None:
    """What was printed and what was said as errors are told apart, ends missing or not."""
    ended = await play(here, processes, "sh", "-c", "echo one; printf 'a\\nb\\nc' >&2")
    assert "; 1 line of output, 3 lines on standard error.\n" in ended.output
    assert ended.output.endswith("Last lines:\none")


async def test_a_killed_program_says_by_which_signal(
    here: Stage, processes: LinuxProcesses
) -> None:
    """A program ended by a signal is failed, with the signal's number and name."""
    ended = await play(here, processes, "sh", "-c", "kill -KILL $$")
    assert (ended.outcome, ended.reason) == (Outcome.FAILED, "killed-by-signal")
    assert "signal 9 (SIGKILL)" in ended.output
    other = await play_again(here, processes, f"kill -{signal.SIGRTMIN + 3} $$")
    assert f"signal {signal.SIGRTMIN + 3} after" in other.output


async def play_again(here: Stage, processes: LinuxProcesses, script: str) -> EndChild:
    """Run one more script on the same stage."""
    here.voice.told.clear()
    return await play(here, processes, "sh", "-c", script)


async def test_a_program_that_is_not_there_is_named(here: Stage, processes: LinuxProcesses) -> None:
    """What cannot start fails its start in words that name it, and surely nothing ran."""
    order = await here.command("/no/such/program", "-v")
    child = CommandRunner(processes, ListedTranscripts()).start(order, here.voice)
    await child.run()
    (failed,) = here.told(FailStart)
    assert "'/no/such/program'" in failed.why
    assert await child.prompt("m.1", "hello") is False
    await here.settled_queue()
    node = here.node(order.node.node_id)
    assert node.status is Status.RELEASED
    assert node.settlement is not None
    assert node.settlement.reason == "start-failed"


async def test_no_command_line_is_a_failed_start(here: Stage, processes: LinuxProcesses) -> None:
    """An order without any program fails its start in words."""
    order = await here.command("true")
    order = replace(order, node=replace(order.node, argv=()))
    await CommandRunner(processes, ListedTranscripts()).start(order, here.voice).run()
    (failed,) = here.told(FailStart)
    assert "no program is named" in failed.why


async def test_input_closed_early_hurts_nobody(here: Stage, processes: LinuxProcesses) -> None:
    """A program that closes its input while a large mission is written ends as it ends."""
    ended = await play(here, processes, "sh", "-c", "exec <&-; echo fine", mission="m" * 2_000_000)
    assert ended.outcome is Outcome.COMPLETED
    assert ended.output.endswith("fine")


async def test_the_mission_comes_by_stdin(here: Stage, processes: LinuxProcesses) -> None:
    """The opening text stands on its input, whole, and then the input ends."""
    order = await here.command("cat", mission="Count the files.")
    child = CommandRunner(processes, ListedTranscripts()).start(order, here.voice)
    await child.run()
    (ended,) = here.told(EndChild)
    assert "Count the files." in ended.output
    assert ended.produced_bytes == len(order.opening.encode())


async def test_a_profile_may_want_it_as_an_argument(here: Stage, processes: LinuxProcesses) -> None:
    """A profile's own command line gets the opening text as its last argument, and no input."""
    script = "import sys; print(repr(sys.stdin.read()), sys.argv[1][:5])"
    profile = AgentProfile(
        name="command", runner="command", command=(PYTHON, "-c", script), brief_by="argument"
    )
    order = await here.command("x", profile=profile, mission="Count.")
    order = replace(order, node=replace(order.node, argv=()))
    await CommandRunner(processes, ListedTranscripts()).start(order, here.voice).run()
    (ended,) = here.told(EndChild)
    assert ended.output.endswith("'' Count")


async def test_output_without_an_end_of_line_is_a_line(
    here: Stage, processes: LinuxProcesses
) -> None:
    """A last line that nobody ended is counted and shown."""
    ended = await play(here, processes, "printf", "no newline")
    assert "; 1 line of output.\nLast lines:\nno newline" in ended.output
    assert ended.produced_bytes == len("no newline")


async def test_binary_junk_becomes_text(here: Stage, processes: LinuxProcesses) -> None:
    """Whatever bytes are printed, the report is text that can be sent and shown."""
    script = "import os; os.write(1, bytes(range(256)) * 300 + b'\\n\\x1b[31mend\\x1b[0m\\0')"
    ended = await play(here, processes, PYTHON, "-c", script)
    assert ended.output.endswith("\nend")
    assert "\0" not in ended.output
    assert "\x1b" not in ended.output
    assert ended.produced_bytes == 256 * 300 + 1 + 5 + 3 + 4 + 1


@pytest.mark.parametrize("tokens", [50, 51, 67, 100, 600, 8_000])
async def test_a_report_never_exceeds_its_contract(
    here: Stage, processes: LinuxProcesses, tokens: int
) -> None:
    """Four-byte characters, long lines and a long summary stay within the contract, untouched."""
    script = "print('\\U0001f600' * 30000); print('test result: ' + '\\U0001f600' * 250)"
    order = await here.command(PYTHON, "-c", script)
    order = replace(order, node=replace(order.node, max_report_tokens=tokens))
    child = CommandRunner(processes, ListedTranscripts()).start(order, here.voice)
    await child.run()
    (ended,) = here.told(EndChild)
    assert size_bytes(ended.output) <= room_of(tokens) <= bytes_of_tokens(tokens)
    assert ended.output.encode().decode() == ended.output
    assert ended.output.startswith("The command exited with status 0")


async def test_the_smallest_contract_of_a_brief_holds(
    here: Stage, processes: LinuxProcesses
) -> None:
    """What a parent is shown of a child with 50 tokens for its report is what the runner wrote."""
    order = await here.command("seq", "1000", report_tokens=50)
    assert order.node.brief is not None
    assert order.node.brief.report_contract == ReportContract(max_report_tokens=50)
    await CommandRunner(processes, ListedTranscripts()).start(order, here.voice).run()
    (ended,) = here.told(EndChild)
    await here.settled_queue()
    settlement = here.node(ended.node).settlement
    assert settlement is not None
    assert settlement.output == ended.output
    assert size_bytes(ended.output) <= bytes_of_tokens(50)


async def test_fifty_megabytes_are_counted_and_not_kept(
    here: Stage, processes: LinuxProcesses
) -> None:
    """A flood on both pipes is read to its end and counted exactly; little of it is kept."""
    total = 25 * 1024 * 1024
    script = (
        "import os\n"
        "piece = (b'x' * 63 + b'\\n') * 1024\n"
        f"for _ in range({total} // len(piece)):\n"
        "    os.write(1, piece); os.write(2, piece)\n"
    )
    order = await here.command(PYTHON, "-c", script)
    child = CommandRunner(processes, ListedTranscripts()).start(order, here.voice)
    await child.run()
    (ended,) = here.told(EndChild)
    await child.stop()
    assert ended.produced_bytes == 2 * total
    assert f"{total // 64} lines of output" in ended.output
    assert kept(child) <= 2 * KEEP_BYTES + 64 * 1024


def kept(child: CommandChild) -> int:
    """Give how much of the output is in memory."""
    return len(child._tail)  # noqa: SLF001


async def test_an_exit_counts_though_something_holds_the_pipe(
    here: Stage, processes: LinuxProcesses, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A program that exits is over while a process it left holds its pipes; the stop ends that."""
    monkeypatch.setattr("subsessiond.adapters.runners.command.DRAIN_S", 0.05)
    order = await here.command("sh", "-c", "sleep 600 & echo $!; exit 0")
    child = CommandRunner(processes, ListedTranscripts()).start(order, here.voice)
    await child.run()
    (ended,) = here.told(EndChild)
    pid = int(ended.output.rpartition("\n")[2])
    os.kill(pid, 0)
    stopped = await child.stop()
    assert stopped.leftovers == ()
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


async def test_a_lost_status_is_said(here: Stage, processes: LinuxProcesses) -> None:
    """A program that is gone without anybody knowing how is failed, and the report says so."""
    order = await here.command("true")
    child = CommandRunner(processes, ListedTranscripts()).start(order, here.voice)
    await child.run()
    process = child._process  # noqa: SLF001
    assert process is not None
    lost = child._ending(process, Exit(), 0.1, here.voice.now())  # noqa: SLF001
    assert (lost.outcome, lost.reason) == (Outcome.FAILED, "status-lost")
    assert "its status was lost" in lost.output
    await child.stop()


def test_room_leaves_the_frame_where_it_can() -> None:
    """A contract of usual size keeps the frame's bytes free, a tiny one half of its own."""
    assert room_of(600) == 1_800 - FRAME_BYTES
    assert room_of(50) == 75


@pytest.mark.parametrize(
    ("text", "room", "tail"),
    [
        ("a\nb\nc", 100, "a\nb\nc"),
        ("aaaa\nb\nc", 6, "b\nc"),
        ("a long last line", 4, "line"),
        ("text", 0, ""),
        ("text", -5, ""),
    ],
)
def test_whole_last_lines_are_kept(text: str, room: int, tail: str) -> None:
    """As many whole lines as fit, or the end of the last one, or nothing in no room."""
    assert last_lines(text, room) == tail


async def test_a_cancelled_start_leaves_no_process(here: Stage, processes: LinuxProcesses) -> None:
    """A run that is cancelled while its program starts leaves nothing that runs."""
    order = await here.command("sleep", "600")
    child = CommandRunner(processes, ListedTranscripts()).start(order, here.voice)
    running = asyncio.create_task(child.run())
    await asyncio.sleep(0)
    running.cancel()
    await asyncio.wait((running,))
    stopped = await child.stop(hurry=True)
    assert stopped.leftovers == ()
