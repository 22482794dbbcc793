"""A daemon that is killed: starts one child, prints its identity as JSON, waits for ever.

Usage: `old_daemon.py KIND NODE_ID PROGRAM ARGUMENT...`
"""

import asyncio
import os
import sys

import msgspec

from subsessiond.adapters.processes import LinuxProcesses
from subsessiond.model.process import Launch


async def main(kind: str, node_id: str, argv: tuple[str, ...]) -> None:
    """Start the child and stay."""
    processes = LinuxProcesses(container=kind)
    env = (("PATH", os.environ["PATH"]),)
    process = await processes.spawn(Launch(node_id=node_id, argv=argv, cwd="/", env=env))
    sys.stdout.buffer.write(msgspec.json.encode(process.identity) + b"\n")
    sys.stdout.flush()
    await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2], tuple(sys.argv[3:])))
