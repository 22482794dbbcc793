"""The line in which common tools say how it went."""

import re
from typing import Final

_COUNT = r"\d+ (?:passed|failed|errors?|skipped|xfailed|xpassed|deselected|warnings?)"

# Why no `.*?` and no `\s*` at their edges: they are run over whatever a program printed, and must
# not be made to take long.
_PATTERNS = (
    ("pytest", rf"^=* ?({_COUNT}(?:, {_COUNT})* in [\d.]+s[^=\n]*)=*$"),
    ("unittest", r"^(Ran \d+ tests? in [\d.]+s\n\n(?:OK|FAILED)[^\n]*)$"),
    ("mypy", r"^(Found \d+ errors? in \d+ files? \([^\n]*\)|Success: no issues found in [^\n]*)$"),
    ("ruff", r"^(Found \d+ errors?[^\n]*|All checks passed!)$"),
    ("cargo test", r"^(test result: [^\n]*)$"),
    ("node test", r"^((?:#|ℹ) (?:pass|fail) \d+)$"),
    ("go test", r"^((?:ok|FAIL)[ \t]+\S+[ \t]+[\d.]+s)$"),
    ("any", r"^((?:\w{1,40}: )?\d+ passed, \d+ failed(?:, \d+ skipped)?)$"),
)
"""Tool and the line it closes with; the first tool whose line is found wins."""

_COMPILED: Final = tuple(re.compile(pattern, re.MULTILINE) for _, pattern in _PATTERNS)

MOST = 300
"""Characters of a summary; a longer line is not one."""

LOOK_CHARACTERS = 64 * 1024
"""How far from the end of the output a summary is looked for."""


def summary_of(text: str) -> str | None:
    """Find the last line that looks like a tool's summary; none when there is none."""
    end = text[-LOOK_CHARACTERS:]
    short = "\n".join(line if len(line) <= MOST else "" for line in end.split("\n"))
    for pattern in _COMPILED:
        found = pattern.findall(short)
        if found:
            return " ".join(str(found[-1]).split())[:MOST]
    return None
