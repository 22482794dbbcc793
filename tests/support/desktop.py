"""A stand-in for `notify-send`: a real program that writes its words down."""

import sys
from pathlib import Path

_SCRIPT = """#!/bin/sh
{python} -I -S -c 'import json, sys
open(sys.argv[1], "a").write(json.dumps(sys.argv[2:]) + "\\n")' '{told}' "$@"
{then}
"""


def fake_desktop(folder: Path, then: str = "exit 0") -> Path:
    """Make the program in a folder; the file `told` there gets a line of JSON for each call.

    Args:
        folder: where it is made.
        then: what its shell does afterwards.
    """
    program = folder / "notify-send"
    program.write_text(_SCRIPT.format(python=sys.executable, told=folder / "told", then=then))
    program.chmod(0o755)
    return program
