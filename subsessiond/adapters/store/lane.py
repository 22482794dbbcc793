"""One thread that does one thing after the other, so that the event loop never waits for a disk."""

import asyncio
import threading
from collections.abc import Callable
from queue import Empty, SimpleQueue
from typing import Any, TypeVar

T = TypeVar("T")
_Job = Callable[[], None]


class Lane:
    """A thread and its queue. Jobs run in the order in which they were asked for."""

    def __init__(self, name: str) -> None:
        self._jobs: SimpleQueue[_Job | None] = SimpleQueue()
        # Why daemon: a process that ends without closing is a crash, and a crash is always safe;
        # a thread that keeps the process from ending is not.
        self._thread = threading.Thread(target=self._work, name=name, daemon=True)
        self._thread.start()

    async def run(self, job: Callable[[], T]) -> T:
        """Do a job in the thread; what it raises comes out here.

        The job is done even when nobody waits for it any more.
        """
        loop = asyncio.get_running_loop()
        done: asyncio.Future[T] = loop.create_future()

        def work() -> None:
            try:
                outcome, fault = job(), None
            except BaseException as raised:  # noqa: BLE001 -- it is raised where it is awaited
                _tell(loop, done, None, raised)
            else:
                _tell(loop, done, outcome, fault)

        self._jobs.put(work)
        return await done

    def later(self, job: _Job) -> None:
        """Do a job after all that wait now. It must not raise: there is nobody to raise to."""
        self._jobs.put(job)

    def drain(self) -> None:
        """Do what waits, from within a long job."""
        while True:
            try:
                job = self._jobs.get_nowait()
            except Empty:
                return
            if job is None:  # the end waits until the long job is done
                self._jobs.put(None)
                return
            job()

    def end(self) -> None:
        """End the thread after all that waits; idempotent. Only when nothing long waits."""
        self._jobs.put(None)
        self._thread.join()

    def _work(self) -> None:
        while (job := self._jobs.get()) is not None:
            job()


def _tell(
    loop: asyncio.AbstractEventLoop,
    done: "asyncio.Future[Any]",
    outcome: object,
    fault: BaseException | None,
) -> None:
    def settle() -> None:
        if done.cancelled():
            return
        if fault is not None:
            done.set_exception(fault)
        else:
            done.set_result(outcome)

    if not loop.is_closed():
        loop.call_soon_threadsafe(settle)
