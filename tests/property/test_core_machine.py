"""The whole core, driven at random, against a naive model of it."""

from random import Random
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import rule

from subsessiond.model.node import Phase
from subsessiond.model.report import Outcome, Stage
from tests.support import moves
from tests.support.machine.hiring import PATTERNS, Wish, owning
from tests.support.machine.stage import index
from tests.support.machine.truths import Truths

DAY = {
    "hire": 8,
    "spawn": 2,
    "open": 1,
    "close": 1,
    "start": 7,
    "speak": 5,
    "gone": 6,
    "go_on": 4,
    "succeed": 1,
    "acknowledge": 2,
    "deliver": 2,
    "steer": 2,
    "end_turn": 3,
    "sign": 2,
    "use": 3,
    "checkpoint": 1,
    "note": 1,
    "end": 1,
    "fail_start": 1,
    "cancel": 1,
    "release": 2,
    "dismiss": 1,
    "sweep": 2,
}
"""What happens on a day, and how often."""

BRIEFS = ((), (), *((pattern,) for pattern in PATTERNS), ("a", "c"), ("b/**", "*/x"))
KEYED = tuple(Wish(role=role, key=key) for role in ("lead", "worker") for key in ("k", "l"))

ARGUMENTS: dict[str, tuple[tuple[Any, ...], ...]] = {
    "hire": (("lead", "worker"), BRIEFS),
    "spawn": (("operator",), KEYED),
    "close": ((0,),),
    "speak": ((None, *Stage),),
    "gone": (((), (), (), ("pid 7",)),),
    "sweep": ((10, 5_000, 61_000), (None,), (True, False)),
    "cancel": (("operator",), (1,)),
    "succeed": (("heir", "operator"), (True, False)),
    "sign": ((None, *Phase),),
    "use": (((5, 1), (70, 2), (9, 80), (-1, 3)),),
    "deliver": ((False,),),
    "release": ((moves.PERSON,),),
    "fail_start": (("start-failed", "start-timeout"),),
}
"""What the verbs of a day are done with, beside whom they are done to."""


class CoreMachine(Truths):
    """Commands of every kind, plausible and not, and what the model makes of them."""

    @rule(under=index, role=st.sampled_from(["lead", "worker"]), owns=owning)
    def hire(self, under: int, role: str, owns: tuple[str, ...]) -> None:
        """Spawn as a parent does who means it."""
        over = self.naive.people.get(self.employer(under))
        cap = 400_000 if role == "lead" and over is not None and over.role == "lead" else None
        self.spawn(under, "parent", Wish(role=role, owns=owns, cap=cap))

    @rule(who=index)
    def start_again(self, who: int) -> None:
        """Agents come up more often than anything else happens."""
        self.start(who)

    @rule(who=index, stage=st.sampled_from([None, *Stage]))
    def speak(self, who: int, stage: Stage | None) -> None:
        """Report as a child does that follows its contract."""
        self.report(who, stage, Outcome.COMPLETED, "one", None, end=False, self_calls=True)

    @rule(of=index)
    def go_on(self, of: int) -> None:
        """Continue a settled child as its parent does."""
        self.succeed(of, "heir", grant=False)

    @rule(seed=st.integers(0, 2**20))
    def work_for_a_day(self, seed: int) -> None:
        """Do twenty things in the proportion in which they happen."""
        chance = Random(seed)
        for _ in range(20):
            verb = chance.choices(tuple(DAY), tuple(DAY.values()))[0]
            self.do(verb, chance)
            self.hold()

    def do(self, verb: str, chance: Random) -> None:
        """Do one of them, with arguments by chance."""
        whom = () if verb in ("open", "sweep") else (chance.randrange(10**6),)
        more = (chance.choice(values) for values in ARGUMENTS.get(verb, ()))
        getattr(self, verb)(*whom, *more)


CoreMachine.TestCase.settings = settings(stateful_step_count=50)
TestCoreMachine = CoreMachine.TestCase


@given(seed=st.integers(0, 2**32))
def test_a_long_life_keeps_to_the_model(seed: int) -> None:
    """Hundreds of commands in their usual proportion, with restarts in between."""
    machine = CoreMachine()
    machine.begin()
    chance = Random(seed)
    for day in range(8):
        machine.work_for_a_day(chance.randrange(2**20))
        if day == 5:
            machine.restart(chance.choice(((), ("pid 9",))), twice=True, often=0)
            machine.hold()
