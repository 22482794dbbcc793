"""A daemon on a terminal: starts one child, prints what that child says, ends it and leaves.

Usage: `on_terminal.py KIND PROGRAM ARGUMENT...`. It fails when it has no terminal itself.
"""

import asyncio
import os
import sys

from subsessiond.adapters.processes import LinuxProcesses
from subsessiond.model.process import Launch


async def main(kind: str, argv: tuple[str, ...]) -> None:
    """Start the child, pass its words on, end it."""
    os.close(os.open("/dev/tty", os.O_RDWR))
    processes = LinuxProcesses(container=kind)
    env = (("PATH", os.environ["PATH"]),)
    process = await processes.spawn(
        Launch(node_id=f"n1-{os.getpid()}", argv=argv, cwd="/", env=env)
    )
    while part := await process.read_stdout():
        sys.stdout.buffer.write(part)
    await processes.aclose()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], tuple(sys.argv[2:])))
