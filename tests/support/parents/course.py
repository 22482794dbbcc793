"""What a parent is led through: two children, one is steered, one is blocked; both are heard of.

Its script calls the mailbox only when it is told that there is mail: nothing in it polls.
"""

from typing import Any, Final

from tests.support.modelstub import script
from tests.support.parents import work
from tests.support.parents.leads import Lead
from tests.support.parents.ways import KINDS
from tests.support.rigs import RIGS

TOLD: Final = "Before you finish: you have 2 messages"
"""How the daemon's words begin when a turn is not to end yet."""
WAITING: Final = "You have (2) messages from your subagents"
"""What the daemon says on the answer to something else."""
FOREIGN: Final = "other/foreign.txt"
BLOCKER: Final = f"approval-required: fs write {FOREIGN}"
STEER: Final = "Say as well whether there is an orchard."
PLACE: Final = {"phase": "looked", "state": "all pages read", "nextStep": "report"}
BLOCKED: Final = {
    "output": "The south half is looked through; its list is not written: that file is not mine.",
    "stage": "final",
    "outcome": "blocked",
    "blockers": [BLOCKER],
}
WHY: Final = r'"blockers":\["(.*?)"'
READ: Final[dict[str, Any]] = {"call": "subsession_inbox", "args": {}}
SAYS: Final = {"text": "North is done, south is blocked. <why>", "take": {"why": WHY}}
NODE_ID: Final = r'"nodeId":"(\w+)"'


def north() -> str:
    """Look, save at the gate `north`, hear what is said, and report with it."""
    rig = RIGS[KINDS["north"]]
    said = {"output": f"{work.told('north')} Asked: <asked>", "stage": "final"}
    report = {"call": "report", "args": {**said, "outcome": "completed"}}
    return work.mission(
        "north",
        *work.looks(rig.shell, "north"),
        {"call": "subsession_checkpoint", "args": PLACE, "wait": "north"},
        {**report, "take": {"asked": "(whether there is an orchard)"}},
        {"text": "bye"},
    )


def south() -> str:
    """Look, write what is not owned, and report that at the gate `south`."""
    rig = RIGS[KINDS["south"]]
    return work.mission(
        "south",
        *work.looks(rig.shell, "south"),
        rig.write.step(path=FOREIGN, text="a list"),
        {"call": "report", "args": BLOCKED, "wait": "south"},
        {"text": "bye"},
    )


def spawn(half: str, mission: str) -> dict[str, Any]:
    """Hire for a half."""
    return {
        "call": "subsession_spawn",
        "args": {"role": half, "title": half, "mission": mission},
    }


def by_hook(lead: Lead) -> str:
    """Hire both, steer one, work until the gate `news`, and end the turn: a hook keeps it."""
    idle = {**lead.shell.step(line="true"), "wait": "news"}
    over = {"text": "I have nothing more to do."}
    return script(*lead.find("subsession_steer"), *_begin(), idle, over, when={TOLD: (READ, SAYS)})


def by_call(lead: Lead) -> str:
    """Hire both, steer one, and list them at the gate `news`: the answer says more than asked."""
    looks = {"call": "subsession_tree", "args": {}, "wait": "news"}
    reads = {**READ, "take": {"count": WAITING}}
    return script(*lead.find("subsession_steer", "subsession_tree"), *_begin(), looks, reads, SAYS)


def _begin() -> tuple[dict[str, Any], ...]:
    first = f"(?s)\\A.*?{NODE_ID}"
    steer = {"nodeId": "<north>", "text": STEER}
    return (
        spawn("north", north()),
        spawn("south", south()),
        {"call": "subsession_steer", "args": steer, "take": {"north": first}, "wait": "steer"},
    )
