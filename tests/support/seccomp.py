"""Makes chosen system calls of this process fail, for good: a disk that does not confirm, a system
that makes no namespaces.
"""

import ctypes
import errno
import platform

_PR_SET_NO_NEW_PRIVS, _PR_SET_SECCOMP, _MODE_FILTER = 38, 22, 2
_ALLOW, _FAIL = 0x7FFF0000, 0x00050000
_LOAD, _JUMP_IF_EQUAL, _RETURN = 0x20, 0x15, 0x06
_SYNC_CALLS = {"x86_64": (74, 75), "aarch64": (82, 83)}  # fsync, fdatasync
_NAMESPACE_CALLS = {"x86_64": (272,), "aarch64": (97,)}  # unshare


class _Step(ctypes.Structure):
    _fields_ = (
        ("code", ctypes.c_ushort),
        ("yes", ctypes.c_ubyte),
        ("no", ctypes.c_ubyte),
        ("value", ctypes.c_uint),
    )


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("steps", ctypes.POINTER(_Step)))


def fail_syncs() -> None:
    """Let every fsync and fdatasync of the calling thread's process fail with EIO from now on.

    Only threads started afterwards and the calling one are concerned.
    """
    _fail(_SYNC_CALLS[platform.machine()], errno.EIO)


def refuse_namespaces() -> None:
    """Let every unshare of this process, and of all that it starts, be refused from now on."""
    _fail(_NAMESPACE_CALLS[platform.machine()], errno.EPERM)


def _fail(calls: tuple[int, ...], number: int) -> None:
    steps = [_Step(_LOAD, 0, 0, 0)]
    steps += [
        _Step(_JUMP_IF_EQUAL, len(calls) - place, 0, call) for place, call in enumerate(calls)
    ]
    steps += [_Step(_RETURN, 0, 0, _ALLOW), _Step(_RETURN, 0, 0, _FAIL | number)]
    program = _Program(len(steps), (_Step * len(steps))(*steps))
    libc = ctypes.CDLL(None, use_errno=True)
    for order in (
        (_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0),
        (_PR_SET_SECCOMP, _MODE_FILTER, ctypes.byref(program), 0, 0),
    ):
        if libc.prctl(*order) != 0:
            raise OSError(ctypes.get_errno(), "prctl")
