"""A daemon that counts what it spends where, and writes it down when it is asked.

What is asked of it is read by `scripts.measure.daemons`. The counting is a few looks at the clock
a batch, not a report; memory is traced only where that is asked for, since tracing costs.
"""

import json
import os
import signal
import time
import tracemalloc
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

ASK: Final = signal.SIGUSR1
WHERE: Final = "MEASURE_INSIDE"
"""The variable that names the file; without it nothing is counted."""
MEMORY: Final = "MEASURE_MEMORY"
"""The variable that lets memory be traced too, from the first signal on."""


class Clocks:
    """What was spent in named places: calls, time by the wall clock, processor time."""

    def __init__(self) -> None:
        self.spent: defaultdict[str, list[float]] = defaultdict(lambda: [0.0, 0.0, 0.0])

    def timed(self, name: str, method: Callable[..., Any]) -> Callable[..., Any]:
        """Give a method that is counted; it never waits for another task."""

        def call(*given: Any) -> Any:
            wall, cpu = time.perf_counter(), time.thread_time()
            try:
                return method(*given)
            finally:
                spent = self.spent[name]
                spent[0] += 1
                spent[1] += time.perf_counter() - wall
                spent[2] += time.thread_time() - cpu

        return call


def watch(where: Path) -> None:
    """Count from now on, and write it down at every signal. Before the daemon is made."""
    from subsessiond.adapters.store.sqlite import SqliteStore  # noqa: PLC0415 -- only when asked
    from subsessiond.engine.registry import Registry  # noqa: PLC0415 -- as above

    clocks = Clocks()
    places = ((Registry, "_decide"), (Registry, "_publish"), (SqliteStore, "_commit"))
    for owner, name in places:
        setattr(owner, name, clocks.timed(name.removeprefix("_"), getattr(owner, name)))

    def tell(_number: int, _frame: object) -> None:
        fresh = where.with_suffix(".new")
        fresh.write_text(json.dumps(_all_of(clocks)), "utf-8")
        fresh.replace(where)
        if os.environ.get(MEMORY):
            tracemalloc.start()  # from the first time on: what came before is none of it

    signal.signal(ASK, tell)


def _all_of(clocks: Clocks) -> dict[str, Any]:
    """Give everything; called in the loop's thread, where signals are taken."""
    return {
        "places": clocks.spent,
        "loop_s": time.thread_time(),
        "process_s": time.process_time(),
        "written": _written(),
        "memory": _memory() if tracemalloc.is_tracing() else {},
    }


def _written() -> int:
    """Give the bytes that were written into files; what goes to sockets is not among them."""
    lines = Path("/proc/self/io").read_text("ascii").splitlines()
    return int(dict(line.split(": ") for line in lines)["wchar"])


def _memory() -> dict[str, int]:
    """Give the bytes that are held, by the file whose code asked for them."""
    found: defaultdict[str, int] = defaultdict(int)
    for trace in tracemalloc.take_snapshot().traces:
        found[trace.traceback[0].filename] += trace.size
    return found
