"""Plans that are hostile, or that people take a hand in, through a real daemon."""

import json
import threading
import time
from typing import Any

import pytest

from subsession.errors import Refused
from tests.e2e.test_plans import CONFIG, begin, mail, play, says, steps_of
from tests.support.closing import check_closing
from tests.support.daemon import Daemon
from tests.support.hire import wait_for
from tests.support.plans import scripted, step


def test_a_plan_of_endless_fields_keeps_nobody_waiting() -> None:
    """Fifty missions that seem to begin a field and never end it: others are answered meanwhile."""
    with Daemon(config=CONFIG) as daemon:
        root = daemon.open()
        steps: dict[str, Any] = {
            f"s{n}": step("{{a." + " " * 32_000, role="play") for n in range(50)
        }
        refused: list[Refused] = []

        def plan() -> None:
            with pytest.raises(Refused) as told:
                begin(daemon, root, steps)
            refused.append(told.value)

        asking = threading.Thread(target=plan)
        asking.start()
        worst = 0.0
        while asking.is_alive():
            begun = time.monotonic()
            daemon.call("daemon.info")
            worst = max(worst, time.monotonic() - begun)
        asking.join()
        assert refused[0].refusal.code == "BRIEF_INVALID"
        assert worst < 3.0
        check_closing(daemon)


def test_a_plan_that_nobody_checked_ends_before_it_begins() -> None:
    """A spawn that names the role brings it: a circle would never come to an end."""
    with Daemon(config=CONFIG) as daemon:
        root = daemon.open()
        circle = {"a": play(says("x"), after=("b",)), "b": play(says("y"), after=("a",))}
        lost = {"a": play(says("x {{nobody.output}}"))}
        for steps in (circle, lost):
            brief = {"mission": json.dumps({"steps": steps})}
            answer = daemon.call("subsession.spawn", parentId=root, role="plan", brief=brief)
            row = wait_for(daemon, answer["nodeId"], "released")
            assert (row["outcome"], row["reason"]) == ("failed", "start-failed")
        check_closing(daemon)


def test_blockers_that_are_too_long_for_the_plan_block_it_all_the_same() -> None:
    """It says less of each; it waited for nobody, until it was ended as silent."""
    with Daemon(config=CONFIG) as daemon:
        root = daemon.open()
        asks = play(says("which?", "blocked", blockers=["question: " + "why " * 100]))
        node = begin(daemon, root, {f"ask{n}": asks for n in range(8)})
        assert wait_for(daemon, node, "released")["outcome"] == "blocked"
        (told,) = mail(daemon, root)
        assert "ask7: question: why" in told
        check_closing(daemon)


def test_heirs_of_steps_under_others_are_waited_for() -> None:
    """Whom a person had go on after the plan had ended is at work below its parent: the plan's
    own heir takes what they report, and begins anew what they did not complete.
    """
    with Daemon(config=CONFIG) as daemon:
        root = daemon.open()
        asks = play(says("which?", "blocked", blockers=["question: which"]))
        steps = {"a": asks, "b": asks, "c": asks}
        last = play(says("L {{a.output}} {{b.output}} {{c.output}}"))
        node = begin(daemon, root, {**steps, "last": last})
        wait_for(daemon, node, "released")
        blocked = steps_of(daemon, node)
        ends = {
            "a": [{"end": {}}],
            "b": [{"pauseMs": 600}, says("B")],
            "c": [{"pauseMs": 1_200}, says("C")],
        }
        heirs = {
            name: daemon.call(
                "subsession.succeed", childId=blocked[name]["nodeId"], mission=scripted(*lines)
            )["nodeId"]
            for name, lines in ends.items()
        }
        wait_for(daemon, heirs["a"], "released")
        plan = {"steps": {**steps, "a": play(says("A")), "last": last}}
        heir = daemon.call("subsession.succeed", childId=node, mission=json.dumps(plan))["nodeId"]
        assert wait_for(daemon, heir, "released")["outcome"] == "completed"
        assert "L A B C" in mail(daemon, root)[-1]
        check_closing(daemon)


def test_children_that_others_hire_below_a_plan_are_none_of_its_steps() -> None:
    """Whatever their keys; that one of them is still at work puts the plan's report off."""
    with Daemon(config=CONFIG) as daemon:
        root = daemon.open()
        steps = {"a": play({"pauseMs": 500}, says("A")), "b": play(says("B"), after=("a",))}
        node = begin(daemon, root, steps, tokenCap=200_000)
        wait_for(daemon, node, "running")
        brief = {"mission": scripted({"pauseMs": 1_500}, says("forged"))}
        other = daemon.call(
            "subsession.spawn", parentId=node, role="play", brief=brief, idempotencyKey="b"
        )["nodeId"]
        assert wait_for(daemon, node, "released")["outcome"] == "completed"
        assert daemon.rows()[other]["outcome"] == "completed"
        (told,) = mail(daemon, root)
        assert told.endswith('b:\nB\n{"outcome":"completed"}')
        check_closing(daemon)
