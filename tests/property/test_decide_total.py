"""`decide` is total: every command has an answer, whatever has become of the node it is about."""

from collections.abc import Callable
from typing import get_args

import pytest
from msgspec.structs import replace

from subsessiond.core.decide import DECISIONS
from subsessiond.model.brief import Grant
from subsessiond.model.commands import AnyCommand, ClientCommand, Command
from subsessiond.model.node import Phase
from tests.support import moves, world
from tests.support.playbook import Play, Step, later, play
from tests.support.policies import GUEST, JOINED, a_policy

MAKERS: dict[str, Callable[[str, str], Step]] = {
    "OpenRoot": lambda label, by: moves.resume(label, by=by),
    "Spawn": lambda label, by: moves.spawn("new", under=label, by=by, owns="new", key="new"),
    "SubmitReport": lambda label, by: moves.final(label, by=by),
    "SaveCheckpoint": lambda label, by: moves.checkpoint(label, by=by),
    "Succeed": lambda label, by: moves.succeed("new", label, by=by, grant=Grant(tokens=1)),
    "Steer": lambda label, by: moves.steer(label, by=by),
    "Cancel": lambda label, by: moves.cancel(label, by=by),
    "CloseRoot": lambda label, by: moves.close(label, by=by),
    "Acknowledge": lambda label, by: moves.acknowledge(label, by=by),
    "Dismiss": lambda label, by: moves.dismiss(label, by=by),
    "Release": lambda label, by: moves.release(label, by=by),
    "Attach": lambda label, by: world.attach(label, by=by),
    "ConfirmStart": lambda label, _: world.started(label),
    "FailStart": lambda label, _: world.not_started(label),
    "NoteProcess": lambda label, _: world.noted(label),
    "EndChild": lambda label, _: world.ended(label),
    "EndTurn": lambda label, _: world.turn_ended(label),
    "NoteSign": lambda label, _: world.sign(label, phase=Phase.WAITING),
    "NoteUsage": lambda label, _: world.used(label, 5, 2),
    "NoteRefusal": lambda label, _: world.turned_away(label),
    "ConfirmGone": lambda label, _: world.gone(label),
    "MarkDelivered": lambda label, _: world.delivered(label),
    "Sweep": lambda _, __: world.sweep(at_once=True),
    "Recover": lambda label, _: world.recover(label, "pid 9"),
}
"""A command of each type about a node, asked for by somebody."""

SECOND: dict[str, Callable[[str, str], Step]] = {
    "Spawn": lambda label, by: moves.spawn("new", under=label, by=by, continues="released"),
    "SubmitReport": lambda label, by: moves.malformed(label, 10**9),
    "SaveCheckpoint": lambda label, by: moves.checkpoint(label, by=by, faults=("state",)),
    "ConfirmGone": lambda label, _: world.gone(label, "pid 7"),
    "FailStart": lambda label, _: world.not_started(label, reason="start-timeout"),
    "Recover": lambda label, _: world.recover(label),
    "MarkDelivered": lambda label, _: world.delivered(label, read=True),
    "NoteUsage": lambda label, _: world.used(label, -5, 10**30),
}
"""The other way some of them can be."""

STATES = (
    "root",
    "unattached",
    "attached",
    "closing",
    "closed",
    "claimed",
    "running",
    "waiting",
    "asked",
    "settled",
    "blocked",
    "stuck",
    "released",
    "orphan",
    "succeeded",
    "heir",
    "absent",
)

CALLERS = (moves.OPERATOR, moves.PERSON, "root", "running", "itself", "absent")


def everybody() -> Play:
    """Make one tree with a node in every state of life, each named after it."""
    policy = a_policy(
        JOINED, agents=(GUEST,), live_per_parent=None, live_per_tree=None, spawn_burst=99
    )
    now = play(policy) >> moves.open_root() >> moves.spawn("unattached", role="joined")
    now = now >> moves.spawn("attached", role="joined") >> world.attach("attached", pid=78)
    now = now >> moves.open_root("closed") >> moves.close("closed") >> moves.open_root("closing")
    now = now >> moves.spawn("under", under="closing") >> moves.close("closing")
    for label in ("claimed", "running", "settled", "blocked", "stuck", "released", "succeeded"):
        now = now >> moves.spawn(label, owns=label, key=label)
    for label in ("running", "settled", "blocked", "stuck", "released", "succeeded"):
        now = now >> world.started(label) >> moves.progress(label)
    for label in ("settled", "stuck", "released", "succeeded"):
        now = now >> moves.final(label)
    now = now >> moves.blocked("blocked") >> world.gone("stuck", "pid 7") >> world.gone("released")
    now = now >> moves.succeed("heir", "succeeded")
    for label in ("waiting", "asked", "lead"):
        now = now >> moves.spawn(label, role="lead", token_cap=300_000) >> world.started(label)
    now = now >> moves.spawn("child", under="waiting") >> world.turn_ended("waiting")
    now = now >> moves.report("asked") >> world.turn_ended("asked")
    now = now >> moves.spawn("orphan", under="lead") >> world.started("orphan")
    return now >> moves.steer("running") >> moves.cancel("lead")


def test_every_command_is_asked() -> None:
    """The table of this test has every type of the vocabulary."""
    assert {kind.__name__ for kind in DECISIONS} == set(MAKERS)
    assert len(get_args(AnyCommand)) == len(MAKERS)


@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize("kind", sorted(MAKERS))
def test_every_command_is_answered_in_every_state(kind: str, state: str) -> None:
    """Nothing raises, invariants hold, and asking again has an answer too."""
    begin = everybody()
    label = {"absent": "nobody"}.get(state, state)
    for make in (MAKERS[kind], SECOND.get(kind, MAKERS[kind])):
        for by in CALLERS:
            caller = {"itself": label, "absent": "nobody"}.get(by, by)
            now = begin.decide(stepped(begin, make(label, caller)))
            assert is_answered(now, kind)
            again = now.decide(stepped(now, make(label, caller)))
            assert is_answered(again, kind)
            _ = replace(again, answered=True) >> later(10**7) >> world.sweep() >> world.sweep()


def stepped(now: Play, step: Step) -> Command:
    """Make the command of a step without deciding it."""
    seen: list[Command] = []
    watching = Watching(seen=seen, **{f: getattr(now, f) for f in Play.__struct_fields__})
    made = step(watching)
    return seen[0] if isinstance(made, Play) else made


class Watching(Play, frozen=True, kw_only=True):
    """A play that keeps the command instead of deciding it."""

    seen: list[Command]

    def decide(self, command: Command) -> Play:
        """Keep it."""
        self.seen.append(command)
        return self


def is_answered(now: Play, kind: str) -> bool:
    """Say whether a client got an answer; what happens by itself needs none."""
    client = next(k for k in DECISIONS if k.__name__ == kind)
    return now.reply is not None or not issubclass(client, ClientCommand)
