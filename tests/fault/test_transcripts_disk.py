"""A disk that is full under the transcripts: what is lost is told, and nothing else is lost."""

import json
import os
import subprocess
import sys
from pathlib import Path

import tests.support.full_transcripts as inside

ROOM_KIB = 64
FULL_DISK = f"""
set -e
mount -t tmpfs -o size=1m,mode=700 none "$1"
head -c {(1024 - ROOM_KIB) * 1024} /dev/zero >"$1/filler"
exec "$2" -m {inside.__name__} "$1"
"""


def test_a_child_comes_to_its_end_though_its_transcript_finds_no_room(tmp_path: Path) -> None:
    """Its report is whole; the next transcript is written as soon as it can be."""
    disk = tmp_path / "disk"
    disk.mkdir()
    done = subprocess.run(
        [
            *("unshare", "--user", "--map-root-user", "--mount", "sh", "-c", FULL_DISK, "sh"),
            *(str(disk), sys.executable),
        ],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        cwd=Path(inside.__file__).parents[2],
        capture_output=True,
        text=True,
        timeout=28,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["first"]["outcome"] == "completed"
    assert told["first"]["output"] == "all of it done"
    assert told["first"]["state"] == "released"
    assert told["first"]["kinds"] == ["lost", "out"]
    assert "there is room again\n" in told["texts"]
    assert told["second"]["outcome"] == "completed"
