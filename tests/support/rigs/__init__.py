"""The public agent CLIs that scripts/agents installs, as data: how each is started and behaves.

`RIGS[name]` gives one; `prepare` writes its files and gives its command line and environment. Every
figure and habit here was seen at the versions that are pinned; tests/agents holds them to it.
"""

from typing import Final

from tests.support.rigs import claude, codex, copilot, gemini, kimi, opencode, pi
from tests.support.rigs.rig import (
    BIN,
    SERVER,
    Call,
    Prepared,
    Refusal,
    Rig,
    Second,
    Speaks,
    Told,
    prepare,
)

__all__ = [
    "BIN",
    "RIGS",
    "SERVER",
    "Call",
    "Prepared",
    "Refusal",
    "Rig",
    "Second",
    "Speaks",
    "Told",
    "prepare",
]

ALL: Final = (
    *(claude.PRINT, claude.ACP),
    *(codex.EXEC, codex.ACP, codex.ZED),
    *(opencode.RUN, opencode.ACP),
    *(gemini.PRINT, gemini.ACP),
    *(pi.PRINT, pi.ACP),
    *(kimi.ACP, copilot.ACP),
)
RIGS: Final = {rig.name: rig for rig in ALL}
