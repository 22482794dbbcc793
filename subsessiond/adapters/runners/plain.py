"""What a program printed, as text that a model can be shown and a terminal does not obey."""

import re
from typing import Final

# What terminals obey: control sequences, commands to the operating system, two-letter escapes.
_ESCAPES: Final = re.compile(
    r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[ -/]+[0-~]|[0-Z\\^-~])"
)
_UNSEEN: Final = {
    code: None for code in (*range(0x20), *range(0x7F, 0xA0)) if chr(code) not in "\n\t"
}


def readable(raw: bytes) -> str:
    """Make text of bytes: colours and control characters go, and of a line written over and over
    (a progress bar) only its last state stays. What is no UTF-8 becomes replacement characters.
    """
    text = _ESCAPES.sub("", raw.decode(errors="replace"))
    lines = (line.rstrip("\r").rpartition("\r")[2] for line in text.split("\n"))
    return "\n".join(lines).translate(_UNSEEN)
