"""A process that works on a store until it is killed, its disk is full, or its disk lies.

    python store_process.py <what> <state directory>

Speaks one word or number a line on stdout.
"""

import asyncio
import os
import resource
import signal
import sys
from contextlib import suppress
from pathlib import Path

if __name__ == "__main__":  # run by path, from anywhere
    sys.path.insert(0, str(Path(__file__).parents[2]))

from subsessiond.model.report import Stage
from subsessiond.ports import StoreFault
from tests.support.ledger import (
    Ledger,
    State,
    admitted,
    builtins,
    child,
    line,
    node_id,
    opened,
    root,
    started,
)
from tests.support.seccomp import fail_syncs

NOBODY = 65534
ROOT, CHILD = node_id(1), node_id(2)


def say(word: object) -> None:
    """Speak, at once."""
    sys.stdout.write(f"{word}\n")
    sys.stdout.flush()


async def grow(ledger: Ledger) -> None:
    """Open a root with a running child, where there is none."""
    if ROOT not in ledger.tree.nodes:
        mother = root(1)
        mother_line = line(mother, 1, "opened", builtins(mother))
        await ledger.commit(opened(mother), lines=(mother_line,))
        await ledger.commit(admitted(child(2, mother)), started(CHILD))


async def report(ledger: Ledger, output: str, stage: Stage = Stage.FINDING) -> None:
    """Commit one report of the child, with its message and its journal line."""
    events = ledger.report(CHILD, output, stage)
    node = ledger.tree.nodes[CHILD]
    await ledger.commit(*events, lines=(line(node, events[0].line, "report", {"o": output}),))


async def write(state: State) -> None:
    """Commit until killed, saying each number that is durable."""
    ledger, _ = await state.open()
    await grow(ledger)
    while True:
        await report(ledger, "x" * 5_000)
        say(ledger.tree.seq)


async def fill(state: State) -> None:
    """Commit findings until the disk is full, then a final, then findings again.

    Says: the fault, whether it was fatal, the number reached, whether there is room, and then
    `final` when the final was taken.
    """
    ledger, _ = await state.open(ballast_bytes=1 << 18)
    await grow(ledger)
    with suppress(StoreFault):
        while True:
            await report(ledger, "x" * 50_000)
    while not await is_refused(ledger, "x" * 100, Stage.FINDING):
        pass
    say(ledger.tree.seq)
    say(ledger.store.room())
    say("refused" if await is_refused(ledger, "y" * 8_000, Stage.FINAL) else "final")
    say(ledger.tree.seq)
    say("|".join(state.told))
    await state.aclose()


async def is_refused(ledger: Ledger, output: str, stage: Stage) -> bool:
    """Report once; tells whether the store refused, having said how."""
    try:
        await report(ledger, output, stage)
    except StoreFault as fault:
        say(fault)
        say(fault.fatal)
        return True
    return False


async def limit(state: State) -> None:
    """Like `fill`, with a limit on the size of files in place of a full disk; then without it."""
    ledger, _ = await state.open()
    await grow(ledger)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (600_000, hard))
    while not await is_refused(ledger, "x" * 50_000, Stage.FINDING):
        pass
    resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    say("refused" if await is_refused(ledger, "again", Stage.FINDING) else "again")
    say(ledger.tree.seq)
    await state.aclose()


async def lie(state: State) -> None:
    """Commit on a disk that stops confirming, then be killed as if by a crash.

    Says the number reached, the fault, whether it was fatal, and the same of one more try.
    """
    ledger, _ = await state.open()
    await grow(ledger)
    say(ledger.tree.seq)
    # The filter holds for the thread that asks for it: the store's own.
    await ledger.store._lane.run(fail_syncs)  # type: ignore[attr-defined]  # noqa: SLF001
    await is_refused(ledger, "x" * 9_000, Stage.FINDING)
    await is_refused(ledger, "small", Stage.FINDING)
    os.kill(os.getpid(), signal.SIGKILL)


async def peek(state: State) -> None:
    """Load; says the fault."""
    try:
        await state.open()
    except StoreFault as fault:
        say(fault)
    await state.aclose()


if __name__ == "__main__":
    if sys.argv[1] == "peek" and os.geteuid() == 0:  # whom no permission binds
        os.setgid(NOBODY)
        os.setuid(NOBODY)
    work = {"write": write, "fill": fill, "limit": limit, "lie": lie, "peek": peek}[sys.argv[1]]
    asyncio.run(work(State(Path(sys.argv[2]))))
