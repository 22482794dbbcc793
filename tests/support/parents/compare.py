"""As a program: lets every parent have the work done in every way, and prints what each cost."""

import asyncio
import subprocess
import sys
from typing import Any

from tests.support.lifecycle.results import versions
from tests.support.parents import table
from tests.support.parents.leads import LEADS, Lead
from tests.support.parents.ways import KINDS, WAYS
from tests.support.rigs import BIN

TITLES = {
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
    """Have it done twice: by children that report, and by such as repeat what they have seen."""
    found = {
        name: (await WAYS[way](lead, chatty=chatty)).as_json()
        for name, chatty in (("plain", False), ("chatty", True))
    }
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
