"""What a program says of its version."""

import re
import subprocess
from typing import Final

from subsession.text import cut, one_line

LIMIT_S: Final = 10.0
SHOWN: Final = 40
_VERSION: Final = re.compile(r"\d+(\.\d+)+[\w.+-]*")


def version_of(program: str) -> str:
    """Ask a program for its version.

    Returns:
        The number, or the first words where there is none in them; empty where it does not say.
    """
    try:
        done = subprocess.run(
            [program, "--version"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=LIMIT_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    lines = (done.stdout or done.stderr).decode("utf-8", "replace").strip().splitlines()
    if done.returncode or not lines:
        return ""
    found = _VERSION.search(lines[0])
    return cut(one_line(found[0] if found else lines[0]), SHOWN)
