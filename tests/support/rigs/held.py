"""Whether the pinned agents were seen to do what the rigs say of them."""

import os
from pathlib import Path
from typing import Final

from tests.support.rigs.rig import BIN

HELD: Final = Path(__file__).parents[2] / "agents/results/rigs.stamp"
"""What scripts/agents had installed when the tests of the rigs were last run and passed."""

REASON: Final = (
    "seen of these very agents before: tests/agents/results/rigs.stamp; SCENARIO_CYCLES=full looks"
    " again"
)


def were_held() -> bool:
    """Tell whether what is installed is what was looked at; anything else is looked at anew."""
    stamp = BIN.parent / ".stamp"
    if os.environ.get("SCENARIO_CYCLES") == "full" or not stamp.exists():
        return False
    return HELD.exists() and HELD.read_text() == stamp.read_text()
