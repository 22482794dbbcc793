"""Makes chosen system calls of this process fail, for good: a disk that does not confirm."""

import ctypes
import errno
import platform

_PR_SET_NO_NEW_PRIVS, _PR_SET_SECCOMP, _MODE_FILTER = 38, 22, 2
_ALLOW, _FAIL = 0x7FFF0000, 0x00050000
_LOAD, _JUMP_IF_EQUAL, _RETURN = 0x20, 0x15, 0x06
_SYNC_CALLS = {"x86_64": (74, 75), "aarch64": (82, 83)}  # fsync, fdatasync


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
    calls = _SYNC_CALLS[platform.machine()]
    steps = [_Step(_LOAD, 0, 0, 0)]
    steps += [
        _Step(_JUMP_IF_EQUAL, len(calls) - place, 0, call) for place, call in enumerate(calls)
    ]
    steps += [_Step(_RETURN, 0, 0, _ALLOW), _Step(_RETURN, 0, 0, _FAIL | errno.EIO)]
    program = _Program(len(steps), (_Step * len(steps))(*steps))
    libc = ctypes.CDLL(None, use_errno=True)
    for order in (
        (_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0),
        (_PR_SET_SECCOMP, _MODE_FILTER, ctypes.byref(program), 0, 0),
    ):
        if libc.prctl(*order) != 0:
            raise OSError(ctypes.get_errno(), "prctl")
