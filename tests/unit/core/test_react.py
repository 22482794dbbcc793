from typing import Any

from msgspec import json

from subsessiond.core.react import AFTER_FINAL_MS, react
from subsessiond.model.effects import AnyEffect, AppendJournal, StartChild, StopChild
from subsessiond.model.events import MessagesMoved
from subsessiond.model.message import MessageState
from subsessiond.model.rejection import Code
from tests.support.moves import (
    cancel,
    checkpoint,
    close,
    final,
    finding,
    open_root,
    report,
    spawn,
    steer,
    succeed,
)
from tests.support.playbook import Play, Step, play, said
from tests.support.world import at_work, gone, not_started, recover, started, turn_ended


def journal(now: Play) -> list[tuple[str | None, int, str]]:
    """Name the journal lines that the last command asks for."""
    lines = [effect for effect in now.effects if isinstance(effect, AppendJournal)]
    return [(now.label(line.node), line.line, line.kind) for line in lines]


def test_a_journal_has_its_lines_in_order_and_without_gaps() -> None:
    """From the admission to the release, late words included."""
    steps: tuple[tuple[Step, list[Any]], ...] = (
        (spawn("w"), [("w", 1, "admitted")]),
        (started("w"), []),
        (finding("w"), [("w", 2, "report")]),
        (checkpoint("w"), [("w", 3, "checkpoint")]),
        (final("w"), [("w", 4, "report"), ("w", 5, "settled")]),
        (gone("w"), [("w", 6, "released")]),
    )
    now = play() >> open_root()
    assert journal(now) == [("root", 1, "opened")]
    for step, lines in steps:
        now = now >> step
        assert journal(now) == lines
    assert journal(now >> final("w", "late") << Code.NODE_SETTLED) == [("w", 7, "late")]


def test_a_line_can_be_written_as_json() -> None:
    """Whatever a report holds."""
    structured = {"n": [1, 2.5, None, {"ä": True}]}
    now = at_work(play(), "w") >> final("w", structured=structured, sections={"a": "b"})
    for effect in now.effects:
        assert json.decode(json.encode(effect), type=AnyEffect) == effect


def test_nothing_is_asked_where_nothing_is_to_be_done() -> None:
    """Most events are only remembered."""
    now = at_work(play(), "w")
    moved = MessagesMoved(node=now.id("w"), at_ms=1, message_ids=(), state=MessageState.STAGED)
    assert react(now.tree, moved) == ()


def test_who_said_its_final_may_end_its_turn() -> None:
    """Ten seconds; whoever is ended by the runtime is stopped at once."""
    now = at_work(play(), "w", "v")
    assert AFTER_FINAL_MS == 10_000
    _ = now >> final("w") << said(StopChild, "w", after_ms=AFTER_FINAL_MS)
    _ = now >> cancel("v") << said(StopChild, "v", after_ms=0)


def test_whoever_is_promoted_has_ended_its_turn_and_is_stopped_at_once() -> None:
    """Its last report became its final because its turn was over: nothing is left to run on."""
    now = at_work(play(), "w") >> report("w", "all I know") >> turn_ended("w") >> turn_ended("w")
    _ = now << said(StopChild, "w", after_ms=0)


def test_a_root_has_no_process_of_ours() -> None:
    """Closing one asks nobody to stop anything."""
    now = play() >> open_root() >> close()
    assert not any(isinstance(effect, StopChild) for effect in now.effects)


def test_a_child_is_started_exactly_once() -> None:
    """At its admission or, for a successor, at the later of admission and release."""
    begun = (play() >> open_root() >> spawn("w")).effects
    assert sum(isinstance(effect, StartChild) for effect in begun) == 1
    now = at_work(play(), "w") >> final("w")
    waiting = now >> succeed("heir", "w")
    assert not any(isinstance(effect, StartChild) for effect in waiting.effects)
    _ = waiting >> gone("w") << said(StartChild, "heir")
    _ = now >> gone("w") >> succeed("heir", "w") << said(StartChild, "heir")


def test_who_starts_or_has_ended_is_not_woken() -> None:
    """The one is told when it is up; the other hears nothing any more."""
    now = at_work(play()) >> spawn("w") >> steer("w")
    assert now.effects == ()
    again = now >> not_started("w")
    assert all(
        effect.node != now.id("w") or isinstance(effect, AppendJournal | StopChild)
        for effect in again.effects
    )


def test_what_an_earlier_life_left_is_not_stopped_again() -> None:
    """Its leftovers were looked at when they were found."""
    now = at_work(play(), "w") >> recover("w", "pid 7")
    assert not any(isinstance(effect, StopChild) for effect in now.effects)
