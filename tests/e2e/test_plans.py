"""Plans through a real daemon: scripted steps, real files, kills and restarts."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from subsession.cli import exits
from subsession.errors import Refused
from tests.support.closing import check_closing
from tests.support.daemon import Daemon
from tests.support.hire import wait_file, wait_for
from tests.support.plans import scripted, step

ROLES = """
[plan]
tier = "plan"
depth_cap = 2
tools = ["read", "edit", "delegate"]
token_cap = 1_000_000

[play]
tier = "scripted"
tools = ["read", "edit"]
token_cap = 20_000
"""
AGENTS = """
[tiers]
plan = "plan"
scripted = "scripted"

[agents.plan]
runner = "plan"

[agents.scripted]
runner = "scripted"
"""
CONFIG = {
    "roles.toml": ROLES,
    "agents.toml": AGENTS,
    "subsessiond.toml": """
[limits]
spawn_burst = 1_000
live_per_parent = 3

[operator]
headless = true
""",
}


def says(output: str, outcome: str = "completed", **fields: Any) -> dict[str, Any]:
    """Make the step of a script in which a child sends its final."""
    return {"report": {"output": output, "stage": "final", "outcome": outcome, **fields}}


def play(*lines: dict[str, Any], after: tuple[str, ...] = (), **brief: Any) -> dict[str, Any]:
    """Write a step of a plan that plays a script."""
    return step(scripted(*lines), *after, role="play", **brief)


def mark(name: str) -> dict[str, Any]:
    """Make the step of a script in which a child leaves a file."""
    return {"write": {"path": f"ran/{name}", "text": "x"}}


def begin(daemon: Daemon, root: str, steps: dict[str, Any], **more: Any) -> str:
    """Start a plan; gives its node."""
    plan = {"steps": steps, **({"report": more.pop("report")} if "report" in more else {})}
    answer = daemon.call("subsession.plan", parentId=root, plan=plan, **more)
    return str(answer["nodeId"])


def mail(daemon: Daemon, node: str) -> list[str]:
    """Give what a parent is told."""
    found = daemon.call("subsession.inbox", nodeId=node, maxTokens=8_000)
    return [message["text"] for message in found["messages"]]


def steps_of(daemon: Daemon, node: str) -> dict[str, dict[str, Any]]:
    """Give the rows of a plan's steps by their titles, the newest where there are several."""
    rows = sorted(daemon.rows().items())
    return {row["title"]: row for _, row in rows if row.get("parentId") == node}


def test_steps_run_in_their_order_and_the_parent_is_told_once() -> None:
    """Fields of reports reach later steps; at most as many run at once as are allowed."""
    with Daemon(config=CONFIG) as daemon:
        root = daemon.open()
        steps = {
            **{
                f"part{n}": play({"pauseMs": 100}, says(f"found {n}", files=[f"f{n}"]))
                for n in range(5)
            },
            "join": play(
                {"write": {"path": "joined", "text": "{{part0.output}} {{part4.files}}"}},
                says("joined all"),
                after=tuple(f"part{n}" for n in range(1, 4)),
                ownedGlobs=["joined"],
            ),
        }
        node = begin(daemon, root, steps)
        row = wait_for(daemon, node, "released")
        assert row["outcome"] == "completed"
        assert (daemon.workspace / "joined").read_text() == "found 0 f4"
        (told,) = mail(daemon, root)
        assert "Plan of 6 steps: 6 completed." in told
        assert "join:\njoined all" in told
        assert "found 0" not in told, "only what the last steps said"
        assert set(steps_of(daemon, node)) == set(steps)
        check_closing(daemon)


def test_what_fails_stops_only_what_waits_for_it() -> None:
    """The parent is told of each step what became of it, with a reason where it failed."""
    with Daemon(config=CONFIG) as daemon:
        root = daemon.open()
        steps = {
            "bad": play({"end": {"outcome": "failed", "reason": "turn-limit"}}),
            "after": play(says("never"), after=("bad",)),
            "far": play(says("never"), after=("after",)),
            "good": play(says("fine")),
        }
        node = begin(daemon, root, steps)
        assert wait_for(daemon, node, "released")["outcome"] == "failed"
        (told,) = mail(daemon, root)
        for line in (
            "- bad: failed (turn-limit)",
            "- after: not begun",
            "- far: not begun",
            "good:\nfine",
        ):
            assert line in told
        assert set(steps_of(daemon, node)) == {"bad", "good"}
        check_closing(daemon)


def test_a_blocked_step_blocks_the_plan_and_an_answer_goes_on() -> None:
    """Nothing waits for a person: the plan is settled, and its successor does what is left."""
    with Daemon(config=CONFIG) as daemon:
        root = daemon.open()
        steps = {
            "first": play(says("one")),
            "asks": play(says("which?", "blocked", blockers=["question: which port"])),
            "last": play(says("never"), after=("asks",)),
        }
        node = begin(daemon, root, steps)
        assert wait_for(daemon, node, "released")["outcome"] == "blocked"
        (told,) = mail(daemon, root)
        assert "asks: question: which port" in told
        answer = daemon.call("subsession.handover", nodeId=node, action="answer", answer="8080")
        heir = str(answer["nodeId"])
        wait_for(daemon, heir, "released")
        again = steps_of(daemon, heir)
        assert set(again) == {"asks"}, "what was completed stays"
        brief = daemon.call("subsession.node", nodeId=again["asks"]["nodeId"])["brief"]
        assert "operator answer: 8080" in brief["mission"]
        check_closing(daemon)


def test_eight_steps_killed_in_the_middle_are_finished_by_a_successor() -> None:
    """Three run side by side when the daemon dies; what was completed is not begun again."""
    with Daemon(config=CONFIG) as daemon:
        root = daemon.open()
        hold = {"awaitPrompt": None}
        steps = {
            "a": play(mark("a"), says("A"), ownedGlobs=["ran/a"]),
            "b": play(says("B {{a.output}}"), after=("a",)),
            **{
                name: play(mark(name), hold, ownedGlobs=[f"ran/{name}"], after=("b",))
                for name in ("c", "d", "e")
            },
            "f": play(says("F"), after=("c",)),
            "g": play(says("G"), after=("d", "e")),
            "h": play(says("H {{b.output}} {{f.output}}"), after=("g",)),
        }
        node = begin(daemon, root, steps, report="{{h.output}}")
        for name in ("c", "d", "e"):
            wait_file(daemon.workspace / "ran" / name)
        daemon.kill()
        (daemon.workspace / "ran" / "a").unlink()
        daemon.start()
        assert wait_for(daemon, node, "released")["reason"] == "daemon-restart"
        plan = json.loads(daemon.call("subsession.node", nodeId=node)["brief"]["mission"])
        for name in ("c", "d", "e"):
            plan["steps"][name]["brief"]["mission"] = scripted(says(name.upper()))
        heir = daemon.call("subsession.succeed", childId=node, mission=json.dumps(plan))["nodeId"]
        assert wait_for(daemon, heir, "released")["outcome"] == "completed"
        assert not (daemon.workspace / "ran" / "a").exists(), "it was begun twice"
        assert set(steps_of(daemon, heir)) == {"c", "d", "e", "f", "g", "h"}
        reports = [text for text in mail(daemon, root) if " reported:" in text]
        assert len(reports) == 1
        assert "H B A F" in reports[0]
        check_closing(daemon)


def test_a_plan_is_refused_whole_before_anything_begins() -> None:
    """Every fault by its field; a budget, a key and a check work as for any child."""
    with Daemon(config=CONFIG) as daemon:
        root = daemon.open()
        with pytest.raises(Refused) as refused:
            begin(daemon, root, {"a": play(says("x"), after=("b",)), "c": step(role="nobody")})
        named = {path for path, _ in refused.value.refusal.fields}
        assert named == {"plan.steps.a.after[0]", "plan.steps.c.role"}
        with pytest.raises(Refused) as refused:
            begin(daemon, root, {"a": play(says("x"), tokenCap=10**12)})
        assert refused.value.refusal.code == "TREE_BUDGET_EXCEEDED"
        good = {"a": play(says("x"))}
        begin(daemon, root, good, checkOnly=True)
        assert list(daemon.rows()) == [root]
        first = begin(daemon, root, good, idempotencyKey="k")
        assert begin(daemon, root, good, idempotencyKey="k") == first
        wait_for(daemon, first, "released")
        check_closing(daemon)


def test_a_step_that_a_limit_turns_away_is_tried_again() -> None:
    """Another child holds its files for a while: the plan waits, without a slot of its own."""
    with Daemon(config=CONFIG) as daemon:
        root = daemon.open()
        brief = {"mission": scripted({"pauseMs": 1_500}, says("free")), "ownedGlobs": ["x"]}
        daemon.call("subsession.spawn", parentId=root, role="play", brief=brief)
        steps = {"a": play(says("one")), "b": play(says("two"), ownedGlobs=["y"])}
        node = begin(daemon, root, steps)
        assert wait_for(daemon, node, "released")["outcome"] == "completed"
        check_closing(daemon)


def test_a_person_gives_a_plan_as_a_file(tmp_path: Path) -> None:
    """TOML or JSON; `--wait` ends by how the plan ended, and a bad file is a plain answer."""
    with Daemon(config=CONFIG) as daemon:
        daemon.open()
        file = tmp_path / "dates.toml"
        mission = scripted(says("all well")).replace('"', '\\"')
        file.write_text(f'[steps.look]\nrole = "play"\nbrief.mission = "{mission}"\n')

        def run(*words: str) -> subprocess.CompletedProcess[str]:
            return subprocess.run(
                [sys.executable, "-m", "subsession", "--state-dir", str(daemon.state), *words],
                cwd=daemon.workspace,
                capture_output=True,
                text=True,
                timeout=30,
                check=False,
            )

        done = run("plan", str(file), "--wait")
        assert done.returncode == exits.OK, done.stderr
        assert "all well" in done.stdout
        file.write_text("[steps\n")
        assert run("plan", str(file)).returncode == exits.USAGE
        file.write_text("[steps.look]\nrole = 'play'\n")
        refused = run("plan", str(file))
        assert refused.returncode == exits.REFUSED
        assert "plan.steps.look.brief" in refused.stderr
