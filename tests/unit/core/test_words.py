from msgspec.structs import replace

from subsessiond.core import words
from subsessiond.core.bounds import size_bytes
from subsessiond.model.message import Message
from subsessiond.model.node import Node, Status
from subsessiond.model.report import Outcome, Report, Stage
from subsessiond.model.role import Channel
from tests.support.moves import blocked, open_root, spawn, succeed
from tests.support.playbook import id_of, play
from tests.support.policies import WORKER
from tests.support.rolefiles import accepted
from tests.support.world import at_work, gone


def test_a_report_is_framed_in_three_parts() -> None:
    """Who reported, the exact output, and one compact line of what else is present."""
    report = Report(
        stage=Stage.FINAL,
        output="Line one.\n\n  Line two. ",
        outcome=Outcome.BLOCKED,
        structured={"n": [1, "ä"]},
        sections={"risks": "none"},
        blockers=("b",),
        open_questions=("q",),
        files=("f",),
        end_children=True,
        key="k",
    )
    assert words.frame_report(id_of(7), report) == (
        f"Background subagent {id_of(7)} reported:\nLine one.\n\n  Line two. \n"
        '{"outcome":"blocked","structured":{"n":[1,"ä"]},"sections":{"risks":"none"},'
        '"blockers":["b"],"openQuestions":["q"],"files":["f"]}'
    )


def test_a_plain_report_has_no_second_line() -> None:
    """Absent fields leave no trace, and an empty value that was given does."""
    plain = Report(stage=Stage.PROGRESS, output="On it.")
    assert words.frame_report(id_of(7), plain).endswith("reported:\nOn it.")
    given = Report(stage=Stage.PROGRESS, output="On it.", structured={}, sections={})
    assert words.report_line(given) == '{"structured":{},"sections":{}}'
    assert words.report_line(plain, disputed="2 files") == '{"disputed":"2 files"}'


def test_the_opening_text_says_what_the_child_is_held_to() -> None:
    """Mission first; then pointers, files, contract, guidance; the letter last."""
    now = at_work(
        play(), "w", owns=("a", "b/*"), sections=("risks",), context=("doc.md", "http://x")
    )
    text = words.opening_text(now.node("w"))
    assert text == (
        "Do it.\n\nSee also:\ndoc.md\nhttp://x\n\nFiles you own: a, b/*\n\n"
        "Your final report may have at most 600 tokens. It needs these sections: risks.\n\n"
        + words.GUIDANCE
    )
    now = now >> blocked("w") >> gone("w") >> succeed("heir", "w")
    assert words.opening_text(now.node("heir")).endswith(now.node("heir").letter)


def test_what_a_role_says_to_all_comes_before_the_mission() -> None:
    """So that the first words of all its children are the same, and caches hold them."""
    role = accepted(replace(WORKER, preface="Be kind.\nAlways."))
    now = play() >> open_root() >> spawn("one", project=role, mission="Sweep the stairs.")
    text = words.opening_text(now.node("one"))
    assert text.startswith("Be kind.\nAlways.\n\nSweep the stairs.\n\n")


def test_a_reader_is_told_that_it_owns_nothing() -> None:
    """A child without a brief, as a lost record leaves it, still has an opening."""
    now = play() >> open_root() >> spawn("r", role="reader")
    assert "You own no files: read only." in words.opening_text(now.node("r"))
    bare = Node(
        node_id=id_of(1),
        parent=None,
        root=id_of(1),
        workspace="/w",
        status=Status.RUNNING,
        title="",
        depth=0,
        token_cap=0,
        claimed_at_ms=0,
    )
    assert words.opening_text(bare).startswith("You own no files")


def test_what_a_model_reads_beforehand_holds_no_id_and_no_time() -> None:
    """A prompt cache sees the same bytes for every child of one brief."""
    one = (at_work(play(), "w")).node("w")
    two = (at_work(play(), "v", "w")).node("w")
    assert one.node_id != two.node_id
    assert words.opening_text(one) == words.opening_text(two)


def test_guidance_says_its_four_things() -> None:
    """Once before finishing; earlier if it matters; to whom; and that the turn goes on."""
    for part in ("before you finish", "earlier when", "only the agent", "not end your turn"):
        assert part in words.GUIDANCE
        assert part in words.GUIDANCE_BY[Channel.CLI]


def test_guidance_names_the_way_a_child_can_report() -> None:
    """A tool, a command or its own last words; each told in at most 200 tokens, one alone."""
    now = at_work(play(), "w").node("w")
    told = {channel: words.opening_text(now, channel) for channel in Channel}
    assert "report tool" in told[Channel.MCP]
    assert "subsession report --stage final" in told[Channel.CLI]
    assert "subsession checkpoint" in told[Channel.CLI]
    assert "The text with which you end" in told[Channel.CLOSING_RESULT]
    for channel, text in told.items():
        assert [c for c in Channel if words.GUIDANCE_BY[c] in text] == [channel]
        assert size_bytes(words.GUIDANCE_BY[channel]) <= 3 * 200
    assert words.opening_text(now) == told[Channel.MCP]


def test_a_title_is_one_short_line() -> None:
    """The first line of the mission, cut between characters."""
    assert words.title_of("\n  First \tline.\nSecond.") == "First line."
    assert size_bytes(words.title_of("ö" * 200)) <= 120
    assert words.title_of("") == ""


def test_every_message_names_its_kind_in_fields_and_not_in_a_kind() -> None:
    """No field that a model or a bridge sees is called `kind`: it crashes a public agent."""
    assert "kind" not in Message.__struct_fields__
    assert "kind" not in Report.__struct_fields__
