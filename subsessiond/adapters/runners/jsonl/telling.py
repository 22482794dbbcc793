"""How the end of a run is told: to the operator in full, to the parent in words of ours alone."""

from subsessiond.adapters.runners.agentprocess import AgentProcess
from subsessiond.adapters.runners.diagnosing import WORDS_BYTES
from subsessiond.adapters.runners.frames import Frames
from subsessiond.adapters.runners.jsonl.course import Course
from subsessiond.adapters.runners.jsonl.ending import Ending
from subsessiond.model.commands import EndChild, EndTurn, FailStart
from subsessiond.model.ids import NodeId
from subsessiond.model.report import Outcome
from subsessiond.ports import Voice


class Telling:
    """Tells what becomes of one child.

    Args:
        node: whose.
        process: its agent's.
        frames: knows what its agent printed that was no line of its protocol.
        voice: hears it.
    """

    def __init__(self, node: NodeId, process: AgentProcess, frames: Frames, voice: Voice) -> None:
        self._node = node
        self._process = process
        self._frames = frames
        self._voice = voice

    async def fail_start(self, words: str, course: Course) -> None:
        """Tell that it did not come up."""
        now = self._voice.now()
        await self._voice.tell_made(
            lambda: FailStart(
                node=self._node, why=words, diagnostic=self.diagnostic(words, course), **now
            ),
        )

    def end_turn(self, diagnostic: str) -> None:
        """Tell that a run is over after which another may follow.

        Args:
            diagnostic: what `diagnostic` gave while its process was there.
        """
        now = self._voice.now()
        self._voice.tell(EndTurn(node=self._node, diagnostic=diagnostic, **now))

    async def end(self, ending: Ending, course: Course) -> None:
        """Tell that its last run is over."""
        now = self._voice.now()
        await self._voice.tell_made(
            lambda: EndChild(
                node=self._node,
                outcome=Outcome.FAILED,
                stop_reason=ending.stop_reason,
                reason=ending.reason,
                output=ending.shown,
                promotes=ending.promotes,
                produced_bytes=self._process.produced_bytes,
                diagnostic=self.diagnostic(ending.words, course),
                **now,
            ),
        )

    def diagnostic(self, words: str, course: Course) -> str:
        """Make the operator's text: our words, what the agent told of its errors, the rest."""
        closing = course.closing
        own = (course.failure, closing.error_text if closing is not None else "")
        told = "\n".join(dict.fromkeys(text for text in (words, *own) if text))
        head = self._voice.scrubber.head(told, WORDS_BYTES)
        return self._process.diagnostic(head, self._frames.sample())
