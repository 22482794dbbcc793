"""A process of its own, in whose mount namespace the folder of transcripts is a disk that is full.

Says as JSON what became of a child that wrote more than there is room for, of its report, and of
what was written once there was room again.
"""

import json
import sys
from pathlib import Path
from typing import Any, Final

from tests.support.daemon import Daemon
from tests.support.hire import CONFIG, hire, wait_for

FLOOD: Final = """
i=0; while [ $i -lt 4000 ]; do printf '%0200d\\n' $i; i=$((i+1)); done
subsession report "all of it done" --stage final --outcome completed
"""


def main(disk: Path) -> None:
    """Fill the disk, and look."""
    with Daemon(config=CONFIG) as daemon:
        daemon.stop()
        (daemon.state / "transcripts").symlink_to(disk)
        daemon.start()
        root = daemon.open()
        first = _outcome(daemon, hire(daemon, root, "sh", "-c", FLOOD, waitMs=0))
        (disk / "filler").unlink()
        node = hire(daemon, root, "echo", "there is room again")
        second = _outcome(daemon, node)
        texts = [record["text"] for record in _records(daemon, node)]
        json.dump({"first": first, "second": second, "texts": texts}, sys.stdout)


def _outcome(daemon: Daemon, node: str) -> dict[str, Any]:
    row = wait_for(daemon, node, "released")
    kinds = sorted({record["kind"] for record in _records(daemon, node)})
    envelope = daemon.call("subsession.node", nodeId=node)["envelope"]
    kept = {key: envelope[key] for key in ("outcome", "output")}
    return {**kept, "state": row["state"], "kinds": kinds}


def _records(daemon: Daemon, node: str) -> list[dict[str, Any]]:
    return list(daemon.call("subsession.transcript", nodeId=node)["records"])


if __name__ == "__main__":
    main(Path(sys.argv[1]))
