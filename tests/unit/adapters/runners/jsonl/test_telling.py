from subsessiond.adapters.processes import LinuxProcesses
from subsessiond.adapters.runners.agentprocess import AgentProcess, Host
from subsessiond.adapters.runners.diagnosing import WORDS_BYTES
from subsessiond.adapters.runners.frames import Frames
from subsessiond.adapters.runners.jsonl.course import Course
from subsessiond.adapters.runners.jsonl.ending import Ending
from subsessiond.adapters.runners.jsonl.reading import Closing, Reading
from subsessiond.adapters.runners.jsonl.telling import Telling
from subsessiond.model.commands import EndChild, EndTurn, FailStart
from tests.support.headless import profile
from tests.support.stage import Stage
from tests.support.transcripts import ListedTranscripts


async def make(here: Stage, processes: LinuxProcesses) -> tuple[Telling, Frames]:
    """Make one for a child that was not started."""
    order = await here.order(profile(), role="worker")
    host = Host(processes, ListedTranscripts(), ("shim",), "/run/s.sock", here.folder / "scratch")
    frames = Frames()
    agent = AgentProcess(host, order, here.voice)
    return Telling(order.node.node_id, agent, frames, here.voice), frames


def broken() -> Course:
    """A run whose agent told the same error twice, and another one at the end."""
    course = Course()
    course.take(Reading(failure="529 overloaded"))
    course.take(Reading(closing=Closing(is_error=True, error_text="gave up")))
    return course


async def test_the_operator_reads_all_and_the_parent_our_words(
    here: Stage, processes: LinuxProcesses
) -> None:
    """Each error once, in order, with a little of the noise; nothing of it is shown below."""
    telling, frames = await make(here, processes)
    frames.read(b"a banner")
    await telling.end(Ending(reason="agent-error", words="gave up", shown="ours"), broken())
    (told,) = here.told(EndChild)
    assert told.diagnostic == "gave up\n529 overloaded\nno protocol: a banner"
    assert (told.reason, told.output, told.promotes) == ("agent-error", "ours", False)


async def test_a_failed_start_says_why(here: Stage, processes: LinuxProcesses) -> None:
    """Its words are the parent's too; what the agent said is the operator's alone."""
    telling, _ = await make(here, processes)
    await telling.fail_start("it left before it was up", broken())
    (told,) = here.told(FailStart)
    assert told.why == "it left before it was up"
    assert told.diagnostic == "it left before it was up\n529 overloaded\ngave up"


async def test_the_end_of_a_turn_keeps_what_was_known(
    here: Stage, processes: LinuxProcesses
) -> None:
    """The process is gone by then, so its diagnostic comes from before; long words are cut."""
    telling, _ = await make(here, processes)
    telling.end_turn(telling.diagnostic("x" * 5_000, Course()))
    (told,) = here.told(EndTurn)
    assert told.diagnostic == "x" * (WORDS_BYTES - len("…".encode())) + "…"
