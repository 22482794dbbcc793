"""The first process of a container as our child: when it ends, how, and when its number is freed.

asyncio's own waiting does not return while an orphan holds the pipes, and takes a thread a child
on 3.11; a pidfd becomes readable when the process ends, whoever holds what.
"""

import asyncio
import contextlib
import marshal
import os
import signal
import socket
from collections.abc import Callable

from subsessiond.model.process import Exit

_PACKET_BYTES = 4096
_ENDED_ALL = Exit(code=125)
"""How a keeper leaves that did not wait for the program's own end."""


class Leader:
    """A child process; it stays unreaped, and so its number stays taken, until `reap`."""

    def __init__(self, pid: int, on_exit: Callable[[], None] = lambda: None) -> None:
        self.pid = pid
        self.on_exit = on_exit
        """Called once when the program has ended."""
        self.gone = asyncio.Event()
        """Set when the process has ended."""
        self._status: Exit | None = None
        self._loop = asyncio.get_running_loop()
        self._pidfd = os.pidfd_open(pid)
        self._loop.add_reader(self._pidfd, self._on_end)

    @property
    def exit(self) -> Exit | None:
        """How the program ended; `None` while it runs."""
        return self._status

    @property
    def exited(self) -> asyncio.Event:
        """Set when the program has ended."""
        return self.gone

    def _on_end(self) -> None:
        self._loop.remove_reader(self._pidfd)
        self._status = self._look()
        self.gone.set()
        self._note_end()

    def _note_end(self) -> None:
        self.on_exit()

    def _look(self) -> Exit:
        try:
            seen = os.waitid(os.P_PIDFD, self._pidfd, os.WEXITED | os.WNOWAIT | os.WNOHANG)
        except ChildProcessError:  # somebody else waited for it: it is gone, the status is lost
            return Exit()
        if seen is None:
            return Exit()
        if seen.si_code == os.CLD_EXITED:
            return Exit(code=seen.si_status)
        return Exit(signal=seen.si_status)

    def kill(self) -> None:
        """Kill this one process."""
        if self._pidfd < 0:
            return
        with contextlib.suppress(ProcessLookupError):
            signal.pidfd_send_signal(self._pidfd, signal.SIGKILL)

    def reap(self) -> bool:
        """Free its number; tells whether that is done (it cannot be while it runs)."""
        if not self.gone.is_set():
            return False
        if self._pidfd < 0:
            return True
        with contextlib.suppress(ChildProcessError):
            os.waitid(os.P_PIDFD, self._pidfd, os.WEXITED | os.WNOHANG)
        return True

    def close(self) -> None:
        """Give the descriptor back."""
        if self._pidfd >= 0:
            self._loop.remove_reader(self._pidfd)
            os.close(self._pidfd)
            self._pidfd = -1


class KeptLeader(Leader):
    """The program below a keeper (`init.py`), which is our child and tells of it."""

    def __init__(self, pid: int) -> None:
        super().__init__(pid)
        self._told: Exit | None = None
        self._exited = asyncio.Event()
        self._control: socket.socket | None = None
        self._listened = False

    @property
    def exit(self) -> Exit | None:
        """How the program ended, as its keeper saw it."""
        return self._told

    @property
    def exited(self) -> asyncio.Event:
        """Set when the program has ended; others in its container may live on."""
        return self._exited

    @property
    def is_killed(self) -> bool:
        """Whether its keeper was ended by a signal, and has not been waited for yet."""
        return self._pidfd >= 0 and self._look().signal is not None

    def listen(self, control: socket.socket) -> None:
        """Take over the socket on which the keeper tells of the end; it may be over already."""
        self._control, self._listened = control, True
        if self.gone.is_set():
            self._note_end()
        else:
            self._loop.add_reader(control.fileno(), self._hear)

    def _hear(self) -> None:
        if self._control is None:
            return
        try:
            packet = self._control.recv(_PACKET_BYTES)
        except BlockingIOError:
            return
        except OSError:
            packet = b""
        if packet:
            _, code, number = marshal.loads(packet)  # noqa: S302  # written by our own init
            self._settle(Exit(code=code, signal=number))
        else:
            self._hang_up()

    def _settle(self, how: Exit) -> None:
        if self._told is None:
            self._told = how
            self._exited.set()
            self.on_exit()

    def _hang_up(self) -> None:
        if self._control is not None:
            self._loop.remove_reader(self._control.fileno())
            self._control.close()
            self._control = None

    def _note_end(self) -> None:
        if not self._listened:
            return  # its last words are read when somebody listens
        self._hear()  # what it said last may stand in the socket still
        # Why: the keeper tells of the program's end before it leaves. It said nothing, so the
        # program ran until the keeper was killed, whereupon the kernel or we kill it as well, or
        # until the keeper was told to end all.
        killed = Exit(signal=int(signal.SIGKILL))
        self._settle(killed if self._status in (killed, _ENDED_ALL) else Exit())

    def close(self) -> None:
        """Give the descriptors back."""
        self._hang_up()
        super().close()
