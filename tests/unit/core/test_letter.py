from msgspec.structs import replace

from subsessiond.core.bounds import bytes_of_tokens, size_bytes
from subsessiond.core.letter import LETTER_BYTES, letter_of
from subsessiond.model.brief import Grant
from subsessiond.model.role import ToolClass
from tests.support.moves import blocked, checkpoint, final
from tests.support.playbook import play
from tests.support.world import at_work, ended


def test_a_letter_has_these_lines_in_this_order() -> None:
    """A pointer and a few lines, and what the operator adds."""
    now = at_work(play(), "w") >> checkpoint("w", "half", "write the tests")
    now = now >> blocked(
        "w",
        "Cannot go on.",
        blockers=("question: which?", "missing: key"),
        open_questions=("Why?",),
    )
    grant = Grant(globs=("a/*", "b"), tools=(ToolClass.EXECUTE,), tokens=5)
    name = now.id("w")
    assert letter_of(now.node("w"), grant, "Take\nthe first.").splitlines() == [
        f'continues: "{name}"',
        f"checkpoint: workspaceFile:.subsession/journals/{name}.journal.jsonl#2",
        "predecessor phase: half",
        "predecessor handover: Cannot go on.",
        "predecessor blockers: question: which?; missing: key",
        "predecessor open questions: Why?",
        "operator answer: Take the first.",
        "grants: files a/*, b; tools execute; 5 tokens",
    ]


def test_lines_with_nothing_to_say_are_left_out() -> None:
    """Also those that hold blanks alone."""
    now = at_work(play(), "w") >> ended("w")
    assert letter_of(now.node("w"), answer=" \n ") == f'continues: "{now.id("w")}"'
    blank = at_work(play(), "w") >> checkpoint("w", " ", "\n") >> final("w", "  ")
    assert [line.split(":")[0] for line in letter_of(blank.node("w")).splitlines()] == [
        "continues",
        "checkpoint",
    ]


def test_without_words_of_its_own_the_next_step_is_the_handover() -> None:
    """What the runtime wrote is not handed on as if the child had said it."""
    now = at_work(play(), "w") >> checkpoint("w", "half", "write the tests")
    now = now >> ended("w", output="exit 3")
    assert "predecessor handover: write the tests" in letter_of(now.node("w"))
    bare = at_work(play(), "w") >> ended("w", output="exit 3")
    assert "handover" not in letter_of(bare.node("w"))


def test_a_node_that_has_not_settled_has_a_letter_too() -> None:
    """The operator may look at it before."""
    assert "continues" in letter_of((at_work(play(), "w")).node("w"))


def test_a_letter_keeps_600_tokens_whatever_was_said() -> None:
    """Every line has its bound, and the operator's answer takes what is left."""
    now = at_work(play(), "w", report_tokens=8_000) >> checkpoint("w", "p" * 999, "n" * 999)
    now = now >> blocked("w", "ö" * 5_000, blockers=("b" * 999,) * 3, open_questions=("q" * 999,))
    grant = Grant(globs=("g" * 512,) * 9, tools=tuple(ToolClass), tokens=2**53)
    node = replace(now.node("w"), checkpoint=replace(now.node("w").checkpoint, line=2**53))  # type: ignore[type-var]
    letter = letter_of(node, grant, "a" * 2_048)
    assert size_bytes(letter) == LETTER_BYTES == bytes_of_tokens(600)
    assert len(letter.splitlines()) == 8
