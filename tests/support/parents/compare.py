"""As a program: lets every parent have the work done in every way, and prints what each cost."""

import asyncio
import subprocess
import sys
from typing import Any, Final

from tests.support.lifecycle.results import versions
from tests.support.parents import table
from tests.support.parents.leads import LEADS, Lead
from tests.support.parents.ways import KINDS, WAYS
from tests.support.rigs import BIN

RUNS: Final = 3
"""Of which the one with the middle time counts: what is shown is the same, time is not."""
TITLES: Final = {
    "subsession": "pi and Kimi Code, by `subsession mcp`",
    "its own subagents": "its own subagents",
    "by itself": "the parent itself",
}


def title_of(lead: Lead) -> str:
    """Name an agent and its version."""
    said = subprocess.run(
        [str(BIN / lead.command[0]), "--version"],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    number = next(word for word in said.stdout.split() if word[0].isdigit())
    return f"{lead.title} {number}"


async def row_of(lead: Lead, way: str) -> dict[str, Any]:
    """Have it done by children that report, and by such as repeat what they have seen."""
    plain = [await WAYS[way](lead, chatty=False) for _ in range(RUNS)]
    sizes = {cost.shown_bytes // 100 for cost in plain}
    assert max(sizes) - min(sizes) <= 1, sizes
    middle = sorted(plain, key=lambda cost: cost.seconds)[RUNS // 2]
    chatty = await WAYS[way](lead, chatty=True)
    found = {"plain": middle.as_json(), "chatty": chatty.as_json()}
    return {"parent": title_of(lead), "way": TITLES[way], **found}


async def main(record: bool) -> None:
    """Run all; what is missing on this machine is an error."""
    rows = [await row_of(lead, way) for lead in LEADS.values() for way in WAYS]
    children = [version for kind in KINDS.values() for version in versions(kind)]
    found = {"children": children, "rows": rows}
    if record:
        table.write(found)
    sys.stdout.write(table.make_table(found) + "\n")


if __name__ == "__main__":
    asyncio.run(main(record="--record" in sys.argv[1:]))
