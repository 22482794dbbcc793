"""Law: a parent's context grows by what its contract allows, whatever a child, a runner or it says.

Inputs are as large and as odd as the wire lets them through; every reply and every message that a
node is shown is measured against a bound that was fixed before the child started.
"""

from typing import Any, Final

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from subsessiond.core.bounds import bytes_of_tokens, size_bytes
from subsessiond.core.letter import LETTER_BYTES
from subsessiond.core.scope import Pattern, parse_pattern
from subsessiond.core.views.answers import bounded_rejection, bounded_words
from subsessiond.model.brief import Brief, Grant
from subsessiond.model.commands import Spawn, SubmitReport
from subsessiond.model.decision import Admitted
from subsessiond.model.events import MessagesMoved
from subsessiond.model.message import MessageState
from subsessiond.model.node import Phase
from subsessiond.model.planned import PlannedPaths
from subsessiond.model.rejection import Rejection
from subsessiond.model.report import MalformedReport, Outcome
from subsessiond.wire.brief import parse_brief
from subsessiond.wire.canonical import report_fingerprint
from subsessiond.wire.errors import error_object
from subsessiond.wire.report import parse_report, report_size_bytes
from tests.support import moves, world
from tests.support.playbook import Play, Step, later, play
from tests.support.policies import a_policy

POLICY: Final = a_policy(spawn_burst=10_000, spawns_per_tree=None, live_per_parent=None)
LIMITS: Final = POLICY.limits
FRAME_BYTES: Final = 220
"""Words of ours around a child's: who reported or settled, and why."""

MARKS: Final = ("a", "é", "€", "🙂", '"', "\\", "\x1f", "\n", " ", "</script>")
marks = st.sampled_from(MARKS)
reports = st.integers(50, 8_000)


def fill(mark: str, most_bytes: int) -> str:
    """Make the longest text of a mark that has at most so many bytes."""
    return mark * (most_bytes // size_bytes(mark))


def shown_bytes(now: Play) -> int:
    """Measure what a node is shown of the last reply, bounded as every answer to a node is."""
    reply = now.reply
    if isinstance(reply, Rejection):
        return len(msgspec.json.encode(error_object(bounded_rejection(reply, LIMITS))))
    if isinstance(reply, Admitted):
        reply = replace(reply, warnings=bounded_words(reply.warnings, LIMITS))
    return len(msgspec.json.encode(reply))


class Hostile:
    """A play on which everything that somebody is shown is measured at once."""

    def __init__(self, report_tokens: int) -> None:
        self.report_tokens = report_tokens
        self.now = play(POLICY) >> moves.open_root() >> moves.open_root("other")
        self.seen: dict[str, int] = {}
        """Bytes by message; what was superseded before anybody saw it is taken out again."""

    def do(self, step: Step) -> "Hostile":
        """Decide one command; no reply and no message is longer than its bound."""
        self.now = replace(self.now, answered=True) >> step
        assert shown_bytes(self.now) <= bytes_of_tokens(LIMITS.answer_tokens)
        for event in self.now.events:
            message = getattr(event, "message", None)
            if message is not None and self.now.label(message.recipient) == "root":
                size = size_bytes(message.text)
                assert size <= bytes_of_tokens(self.report_tokens) + FRAME_BYTES, message.text[:300]
                self.seen[message.message_id] = size
            if isinstance(event, MessagesMoved) and event.state is MessageState.SUPERSEDED:
                for name in event.message_ids:
                    self.seen.pop(name, None)
        return self

    def whole_bound(self) -> int:
        """Give what one child may ever show: 20 signs of life, 10 findings, one final, a notice.

        A sign of life without a stage may be as large as a report, for it may become the last one.
        """
        reports = LIMITS.progress_delivered + LIMITS.findings_delivered + 1
        return reports * bytes_of_tokens(self.report_tokens) + (reports + 1) * FRAME_BYTES


def raw_brief(mark: str, report_tokens: int) -> dict[str, Any]:
    """Make a brief with every field at its limit."""
    letter = mark if mark.isprintable() and not set(mark) & set('\\"</ ') else "n"
    globs = [f"{number:03}{fill(letter, 500)}" for number in range(200)]
    return {
        "mission": fill(mark, 32_768),
        "title": fill(letter, 120),
        "ownedGlobs": globs,
        "context": [fill(letter, 2_048)] * 16,
        "reportContract": {
            "maxReportTokens": report_tokens,
            "requiredSections": [f"{number:02}{fill(letter, 120)}" for number in range(16)],
        },
    }


def spawning(label: str, raw: dict[str, Any], **fields: Any) -> Step:
    """Spawn as the method does: read strictly, paths in normal form."""

    def step(now: Play) -> Play:
        named = now.naming(label) if label not in now.names else now
        parsed = parse_brief(raw, LIMITS)
        brief = parsed if isinstance(parsed, Brief) else None
        forms = [parse_pattern(glob) for glob in (brief.owned_globs if brief else ())]
        return named.decide(
            Spawn(
                caller=moves.caller(named, "root"),
                new_id=named.id(label),
                parent=named.id("root"),
                role="worker",
                brief=brief,
                brief_faults=parsed if isinstance(parsed, tuple) else (),
                paths=PlannedPaths(
                    owns=tuple(form.text for form in forms if isinstance(form, Pattern)),
                    spelled=brief.owned_globs if brief else (),
                ),
                fingerprint="f",
                **moves.stamps(named),
                **fields,
            )
        )

    return step


def reporting(label: str, raw: dict[str, Any], schema_fault: str | None = None) -> Step:
    """Report as the method does: read strictly, measured as the parent would be shown it."""
    said = parse_report(raw)
    bad = isinstance(said, MalformedReport)
    size = said.size_bytes if isinstance(said, MalformedReport) else report_size_bytes(said)
    return lambda now: SubmitReport(
        caller=moves.caller(now, label),
        node=now.id(label),
        report=said,
        fingerprint="" if isinstance(said, MalformedReport) or bad else report_fingerprint(said),
        size_bytes=size,
        schema_fault=schema_fault,
        **moves.stamps(now),
    )


@settings(max_examples=20)
@given(mark=marks, report_tokens=reports)
def test_spawning_shows_nothing_beyond_its_bound(mark: str, report_tokens: int) -> None:
    """Every field of a brief at its limit, refused in each way and admitted, again and again."""
    hostile, raw = Hostile(report_tokens), raw_brief(mark, report_tokens)
    hostile.do(spawning("first", raw))
    hostile.do(spawning("second", raw))
    hostile.do(spawning("second", raw, allow_overlap=True))
    for number in range(8):
        pattern = [raw["ownedGlobs"][number]]
        one = {"mission": "x", "ownedGlobs": pattern}
        hostile.do(spawning(f"many{number}", one, allow_overlap=True))
    hostile.do(spawning("third", raw, allow_overlap=True, check_only=True))
    faulty = raw | {fill("k", 900 + number): mark for number in range(200)}
    hostile.do(spawning("fourth", faulty))
    hostile.do(spawning("fifth", raw | {"verify": [f"check{n}" for n in range(16)]}))


@given(mark=marks, report_tokens=reports, talk=st.integers(1, 40))
def test_a_talkative_child_is_heard_within_its_contract(
    mark: str, report_tokens: int, talk: int
) -> None:
    """However often it speaks and whatever it says, the sum has a bound that was fixed before."""
    hostile = Hostile(report_tokens)
    sections = {f"{number:02}": "" for number in range(16)}
    hostile.do(moves.spawn("w", report_tokens=report_tokens, sections=tuple(sections)))
    hostile.do(world.started("w"))
    most = bytes_of_tokens(report_tokens)
    for number in range(talk):
        hostile.do(later(5_000)).do(world.delivered("root"))
        for stage in ("progress", "finding", None):
            for size in (most, bytes_of_tokens(LIMITS.progress_tokens), most - 23 - number):
                raw = {"output": fill(mark, max(3, size)) or "x"}
                hostile.do(reporting("w", raw | ({"stage": stage} if stage else {})))
    hostile.do(reporting("w", {"stage": "final", "output": fill(mark, 250_000)}))
    hostile.do(reporting("w", {"stage": "final", fill("x", 9_000): [mark] * 99}))
    hostile.do(moves.steer("w", fill(mark, 6_000))).do(moves.steer("w", fill(mark, 6_001)))
    last = {"stage": "final", "outcome": "failed", "sections": sections}
    hostile.do(reporting("w", last | {"output": fill(mark, most) or "x"}))
    hostile.do(reporting("w", last | {"output": fill(mark, max(3, most - 400)) or "x"}))
    hostile.do(world.ended("w", reason=fill(mark, 9_000)))
    assert sum(hostile.seen.values()) <= hostile.whole_bound()


@given(mark=marks, report_tokens=reports)
def test_a_promotion_is_no_larger_than_a_final(mark: str, report_tokens: int) -> None:
    """The largest report without a stage that was accepted, promoted, keeps to the contract."""
    hostile = Hostile(report_tokens)
    hostile.do(moves.spawn("w", report_tokens=report_tokens)).do(world.started("w"))
    for size in range(bytes_of_tokens(report_tokens), 0, -1):
        hostile.do(reporting("w", {"output": fill(mark, size) or "x"}))
        if not isinstance(hostile.now.reply, Rejection):
            break
    hostile.do(world.turn_ended("w")).do(world.turn_ended("w"))
    text = hostile.now.mail("root")[-1].text
    header = f"Background subagent {hostile.now.id('w')} reported:\n"
    assert size_bytes(text) <= bytes_of_tokens(report_tokens) + size_bytes(header) + 1


@given(mark=marks, report_tokens=reports)
def test_no_runner_carries_a_transcript_upward(mark: str, report_tokens: int) -> None:
    """Reasons, signs, diagnostics, leftovers and output tails are as bounded as reports."""
    flood = fill(mark, 200_000)
    hostile = Hostile(report_tokens)
    for label in ("dead", "silent", "lost", "never"):
        hostile.do(moves.spawn(label, report_tokens=report_tokens))
    for label in ("dead", "silent", "lost"):
        hostile.do(world.started(label))
    hostile.do(world.not_started("never", flood, reason=flood))
    hostile.do(world.ended("dead", output=flood, diagnostic=flood, reason=flood))
    hostile.do(world.sign("silent", flood, Phase.WORKING)).do(later(700_000))
    hostile.do(world.sweep(at_once=True)).do(world.recover("lost", flood, flood))
    for label in ("dead", "silent", "lost", "never"):
        hostile.do(world.gone(label, flood))
        hostile.do(moves.cancel(label)).do(moves.release(label, by="root"))
        settlement = hostile.now.tree.nodes[hostile.now.id(label)].settlement
        assert settlement is not None
        assert size_bytes(settlement.diagnostic or "") <= LIMITS.diagnostic_bytes


@given(mark=marks, report_tokens=reports)
def test_a_successors_letter_and_answers_are_bounded(mark: str, report_tokens: int) -> None:
    """Whatever was left behind and granted, the letter has 600 tokens and the answers theirs."""
    hostile = Hostile(report_tokens)
    hostile.do(moves.spawn("w", report_tokens=report_tokens, owns="a")).do(world.started("w"))
    hostile.do(moves.checkpoint("w", fill(mark, 90_000) or "x", fill(mark, 90_000) or "x"))
    room = bytes_of_tokens(report_tokens) - 100
    hostile.do(
        moves.final(
            "w",
            fill(mark, max(3, room // 2)) or "x",
            Outcome.BLOCKED,
            blockers=(fill(mark, max(3, room // 20)) or "x",),
        )
    )
    hostile.do(world.gone("w", fill(mark, 5_000)))
    grant = Grant(globs=tuple(f"g{n}" for n in range(200)), tokens=2**50)
    answer = fill(mark, LIMITS.answer_bytes)
    heir = moves.succeed("heir", "w", by=moves.PERSON, grant=grant, answer=answer, owns=grant.globs)
    hostile.do(heir)
    letter = hostile.now.tree.nodes[hostile.now.id("heir")].letter
    assert size_bytes(letter) <= LETTER_BYTES
    hostile.do(moves.succeed("x", "w")).do(moves.succeed("x", "w", by=moves.PERSON))
