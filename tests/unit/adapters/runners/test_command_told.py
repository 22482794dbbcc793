"""`adapters.runners.command`: what is told and kept of what a program printed."""

from subsessiond.adapters.processes import LinuxProcesses
from subsessiond.adapters.runners.command import CommandRunner
from subsessiond.model.commands import EndChild
from tests.support.stage import Stage
from tests.support.transcripts import ListedTranscripts


async def test_what_a_program_prints_is_kept_for_the_operator(
    here: Stage, processes: LinuxProcesses
) -> None:
    """Its output and its errors go into its transcript as they came, which ends with it."""
    transcripts = ListedTranscripts()
    order = await here.command("sh", "-c", "echo out; echo err >&2; printf 'API_KEY=abc'")
    child = CommandRunner(processes, transcripts).start(order, here.voice)
    await child.run()
    kept = transcripts.of[order.node.node_id]
    assert kept.joined("out") == b"out\nAPI_KEY=abc"
    assert kept.joined("err") == b"err\n"
    assert not kept.closed
    await child.stop()
    assert kept.closed


async def test_secrets_are_in_no_report_of_the_runtime(
    here: Stage, processes: LinuxProcesses
) -> None:
    """Summary, last lines and diagnostic are scrubbed before they are cut."""
    script = (
        "echo 'API_KEY=abcdef'; echo 'token=abc: 3 passed, 0 failed';"
        "echo 'password=hunter2 was refused' >&2; exit 1"
    )
    order = await here.command("sh", "-c", script)
    child = CommandRunner(processes, ListedTranscripts()).start(order, here.voice)
    await child.run()
    await child.stop()
    (ended,) = here.told(EndChild)
    assert "abc" not in ended.output
    assert "API_KEY=[removed]" in ended.output
    assert ended.diagnostic == "password=[removed] was refused"
