"""The line in which common tools say how it went."""

import re

_COUNT = r"\d+ (?:passed|failed|errors?|skipped|xfailed|xpassed|deselected|warnings?)"

_PATTERNS = (
    ("pytest", rf"^=*\s*({_COUNT}(?:, {_COUNT})* in [\d.]+s.*?)\s*=*$"),
    ("unittest", r"^(Ran \d+ tests? in [\d.]+s\s+(?:OK|FAILED).*)$"),
    ("mypy", r"^(Found \d+ errors? in \d+ files? \(.*\)|Success: no issues found in .*)$"),
    ("ruff", r"^(Found \d+ errors?.*|All checks passed!)$"),
    ("cargo test", r"^(test result: .*)$"),
    ("node test", r"^(# (?:pass|fail) \d+)$"),
    ("go test", r"^((?:ok|FAIL)\s+\S+\s+[\d.]+s)$"),
    ("any", r"^((?:\w+: )?\d+ passed, \d+ failed(?:, \d+ skipped)?)$"),
)
"""Tool and the line it closes with; the first tool whose line is found wins."""

_COMPILED = tuple(re.compile(pattern, re.MULTILINE) for _, pattern in _PATTERNS)

MOST = 300
"""Characters of a summary; a longer line is not one."""


def summary_of(text: str) -> str | None:
    """Find the last line that looks like a tool's summary; none when there is none."""
    for pattern in _COMPILED:
        found = pattern.findall(text)
        if found:
            return " ".join(str(found[-1]).split())[:MOST]
    return None
