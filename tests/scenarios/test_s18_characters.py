"""S18: whatever is cut is cut between characters, within its limit; a report is never cut."""

import sys
from pathlib import Path
from typing import Any, Final

import pytest

from subsessiond.core.bounds import size_bytes
from subsessiond.core.letter import BOUNDS, LETTER_BYTES, letter_of
from subsessiond.model.commands import EndChild, FailStart
from subsessiond.model.node import StopReason
from subsessiond.model.report import Outcome
from tests.support.moves import blocked, checkpoint
from tests.support.playbook import play
from tests.support.stage import stage
from tests.support.tables import tables
from tests.support.world import at_work
from tests.support.yard import Speaker, refusal_of, scenario

CHARACTERS: Final = ("é", "€", "🙂")
"""Of two, three and four bytes."""

DIAGNOSTIC_BYTES: Final = 4_096

PROGRAM: Final = """
import sys
offset, character, count = int(sys.argv[1]), sys.argv[2], int(sys.argv[3])
sys.stderr.buffer.write(("a" * offset + character * count).encode())
sys.exit(3)
"""


def check_cut(text: str, character: str, limit: int, least: int) -> None:
    """Check that a text was cut as it should be, and that hardly more than needed was cut."""
    assert least <= size_bytes(text) <= limit
    assert set(text) <= {"a", character, "…"}
    assert text.count("…") <= 1


@pytest.mark.scenario("S18")
@pytest.mark.parametrize("character", CHARACTERS)
async def test_diagnostics_are_cut_between_characters(character: str, tmp_path: Path) -> None:
    """The limit falls on every place inside of a character; the mark of the cut is within it."""
    async with stage(tmp_path, live_per_parent=50, spawn_burst=50) as here:
        for offset in range(size_bytes(character)):
            text = "a" * offset + character * 3_000
            ended, failed = [await here.admit(role="worker") for _ in range(2)]
            await here.voice.ask(FailStart(node=failed, why=text, **here.voice.now()))
            await here.voice.ask(
                EndChild(
                    node=ended,
                    outcome=Outcome.FAILED,
                    stop_reason=StopReason.ERROR,
                    reason="exited",
                    diagnostic=text,
                    **here.voice.now(),
                )
            )
            for node in (ended, failed):
                said = here.node(node).settlement
                assert said is not None
                assert said.diagnostic is not None
                check_cut(said.diagnostic, character, DIAGNOSTIC_BYTES, DIAGNOSTIC_BYTES - 6)


@pytest.mark.scenario("S18")
@pytest.mark.parametrize("character", CHARACTERS)
def test_the_tail_of_errors_begins_with_a_whole_character(character: str) -> None:
    """What is kept of errors begins inside of a character, whether the diagnostic or the pipe's
    reader cut it; none of its halves is shown.
    """
    with scenario(tables()) as yard:
        for offset in range(size_bytes(character)):
            for count in (DIAGNOSTIC_BYTES, 200_000):
                words = (str(offset), character, str(count))
                node = yard.hire(sys.executable, "-c", PROGRAM, *words)
                yard.wait(node, "released")
                shown = yard.call("subsession.node", nodeId=node)["envelope"]
                check_cut(shown["diagnostic"], character, DIAGNOSTIC_BYTES, DIAGNOSTIC_BYTES - 4)
                assert "\ufffd" not in shown["output"]


@pytest.mark.scenario("S18")
@pytest.mark.parametrize("character", CHARACTERS)
def test_the_lines_of_a_letter_are_cut_between_characters(character: str) -> None:
    """Every line keeps its bound and the letter keeps its own."""
    for offset in range(size_bytes(character)):
        text = "a" * offset + character * 1_000
        short, shorter = (text[: most // size_bytes(character) + 5] for most in (420, 250))
        now = at_work(play(), "w") >> checkpoint("w", text, text)
        now = now >> blocked("w", short, blockers=(shorter,), open_questions=(shorter,))
        letter = letter_of(now.node("w"), answer=text)
        assert size_bytes(letter) <= LETTER_BYTES
        lines = dict(line.split(": ", 1) for line in letter.splitlines())
        for name, limit in BOUNDS[2:7]:
            check_cut(lines[name], character, limit, min(limit - 6, 180))


def size_of(child: Speaker, output: str, **fields: Any) -> tuple[int, int]:
    """Give limit and actual size of a report that is refused as too large."""
    refused = refusal_of(child.report, output, **fields)
    assert refused.code == "REPORT_TOO_LARGE"
    assert refused.limit is not None
    assert refused.actual is not None
    return refused.limit, refused.actual


@pytest.mark.scenario("S18")
@pytest.mark.parametrize("character", CHARACTERS)
def test_a_report_is_accepted_whole_or_refused(character: str) -> None:
    """At its limit and one byte under it a report is taken as it is; one over it is refused, also
    when it is malformed.
    """
    final: dict[str, Any] = {"stage": "final", "outcome": "completed"}
    with scenario(tables()) as yard:
        for under in (0, 1):
            child = yard.speaker()
            limit, actual = size_of(child, character * 3_000, **final)
            room = limit - (actual - size_bytes(character) * 3_000) - under
            count, rest = divmod(room, size_bytes(character))
            output = character * count + "a" * rest
            over = size_of(child, output + "a" * (1 + under), **final)
            assert over == (limit, limit + 1)
            malformed = {**final, "outcome": character * limit}
            assert size_of(child, output, **malformed)[1] > limit
            child.report(output, **final)
            assert any(output in mail["text"] for mail in yard.mail())
            child.close()
            yard.wait(child.node, "released")
