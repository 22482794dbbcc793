"""Three parents one after another on one folder: what each does until something is killed."""

import re
from typing import Any, Final

from tests.support.modelstub import Request, script
from tests.support.parents import seen, work
from tests.support.parents.course import PLACE, spawn
from tests.support.parents.leads import Lead
from tests.support.parents.ways import KINDS
from tests.support.rigs import RIGS

INBOX: Final[dict[str, Any]] = {"call": "subsession_inbox", "args": {}}
READ: Final[dict[str, Any]] = {"call": "subsession_inbox", "args": {"acknowledge": True}}
HOME: Final[dict[str, Any]] = {"text": "I go home."}
SAYS: Final = "Both halves are done."
TURNS: Final = ("first", "second", "third")
HEAD: Final = r"^(?:\(again\) )?Background subagent \w+ (?:reported|settled \w+ \([\w-]+\))"
"""How a message begins."""
ENDED: Final = r"Background subagent (\w+) settled failed \(daemon-restart\)"


def child(half: str) -> str:
    """Look, save, and report at the gate of that half."""
    report = {"output": work.told(half), "stage": "final", "outcome": "completed"}
    return work.mission(
        half,
        *work.looks(RIGS[KINDS[half]].shell, half),
        {"call": "subsession_checkpoint", "args": PLACE},
        {"call": "report", "args": report, "wait": half},
        {"text": "bye"},
    )


def first(lead: Lead) -> str:
    """Hire both, and work at the gate `first` until killed."""
    hires = [spawn(half, child(half)) for half in KINDS]
    return "Go first. " + script(*hires, {**lead.shell.step(line="true"), "wait": "first"})


def second() -> str:
    """Read what came meanwhile, and again once its bridge was killed at the gate `second`."""
    return "Go second. " + script(INBOX, {**READ, "wait": "second"}, INBOX, HOME)


def third(lead: Lead) -> str:
    """Read; after the daemon was killed at the gate `third`, have a successor do what is open."""
    report = {"output": work.told("north"), "stage": "final", "outcome": "completed"}
    heir = work.mission("heir", {"call": "report", "args": report}, {"text": "bye"})
    succeed = {"childId": "<ended>", "mission": heir}
    return "Go third. " + script(
        *lead.find("subsession_succeed"),
        INBOX,
        {**READ, "wait": "third"},
        {"call": "subsession_succeed", "args": succeed, "take": {"ended": ENDED}},
        {**READ, "args": {"acknowledge": True, "waitMs": 50_000}, "until": ["north[ ]half is"]},
        {"text": SAYS},
    )


def heads(requests: list[Request]) -> list[str]:
    """Give how each message begins that one parent after another was shown."""
    answers = (
        answer
        for turn in TURNS
        for answer in seen.of_ours([r for r in seen.of_parent(requests) if r.holds(f"Go {turn}. ")])
    )
    return [head for answer in answers for head in re.findall(HEAD, answer, re.MULTILINE)]
