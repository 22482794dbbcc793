"""Two halves of a workspace to look through, a quarter of a megabyte each, and a report on each.

Every line of the files is there once, so that one that comes where it should not is found.
"""

from pathlib import Path
from typing import Any, Final

from tests.support.modelstub import script
from tests.support.rigs import RIGS, Call

HALVES: Final = ("north", "south")
PAGES: Final = 10
LINES: Final = 400
"""In a page: 22 kB, which every agent here shows its model whole."""
SECRET: Final = "zebra crossings are painted anew"
"""Stands in every line, and in no report that is asked for."""

Step = dict[str, Any]


def fill(workspace: Path) -> None:
    """Write the files."""
    for half in HALVES:
        (workspace / half).mkdir()
        for page in range(PAGES):
            (workspace / _place(half, page)).write_text("\n".join(lines(half, page)) + "\n")


def lines(half: str, page: int) -> list[str]:
    """Give the lines of one page."""
    return [f"{half} p{page} l{line}: {SECRET} in May" for line in range(LINES)]


def _place(half: str, page: int) -> str:
    return f"{half}/{page}.txt"


def looks(shell: Call, *halves: str) -> list[Step]:
    """Look through halves, page by page."""
    places = [_place(half, page) for half in halves for page in range(PAGES)]
    return [{**shell.step(line=f"cat {place}"), "text": f"Zebra in {place}."} for place in places]


def told(half: str) -> str:
    """Give the report on a half: what a person would want to know, well within 600 tokens."""
    seen = "; ".join(
        f"page {page}: crossings and their months of painting" for page in range(PAGES)
    )
    return (
        f"The {half} half is looked through. {seen}. All of them are painted in May, none is "
        f"missing from the list, and no two pages differ. Nothing was changed. To decide: whether "
        f"the {half} half needs a list of its own, as every page names the same month."
    )


def ends(half: str, word: str, *, chatty: bool) -> Step:
    """Give the step's part that says the report; a chatty model repeats a whole page after it."""
    if not chatty:
        return {word: told(half)}
    page = f"(?s)({half} p0 l0:.*?{half} p0 l{LINES - 1}:)"
    return {word: f"{told(half)}\n<page>", "take": {"page": page}}


def mission(half: str, *steps: Step) -> str:
    """Give the task of a child; its requests are known by its first words."""
    return f"Do {half}. {script(*steps)}"


def ours(half: str, kind: str, *, chatty: bool = False) -> str:
    """Give the mission of a child of ours: an agent of some kind that looks and reports.

    Args:
        half: which half.
        kind: the agent.
        chatty: whether it first says more than it may.
    """
    reports = [_report(half, chatty=again) for again in ((True, False) if chatty else (False,))]
    return mission(half, *looks(RIGS[kind].shell, half), *reports, {"text": "bye"})


def _report(half: str, *, chatty: bool) -> Step:
    said = ends(half, "output", chatty=chatty)
    args = {"output": said.pop("output"), "stage": "final", "outcome": "completed"}
    return {"call": "report", "args": args, **said}
