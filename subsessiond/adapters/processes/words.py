"""Why a program did not start, in a person's words."""

import errno
import os
import resource

from subsessiond.model.process import LaunchFault

_EXEC = {
    errno.ENOENT: "no such program is on the child's PATH, or the interpreter its first line names "
    "does not exist",
    errno.ENOTDIR: "a part of its path is not a folder",
    errno.EACCES: "it is not executable, or a folder on the way to it may not be entered",
    errno.EPERM: "this user is not permitted to run it",
    errno.ENOEXEC: "it is no program this system can run (a script needs a first line with #!)",
    errno.EISDIR: "it is a folder",
    errno.ELOOP: "its path is a circle of links",
    errno.ENAMETOOLONG: "its path is too long",
    errno.ETXTBSY: "another process is writing to it just now",
    errno.E2BIG: "its arguments and environment together are too long for this system",
}

_CWD = {
    errno.ENOENT: "does not exist",
    errno.ENOTDIR: "is not a folder",
    errno.EACCES: "may not be entered by this user",
}

_ANY = {
    errno.ENOMEM: "there is not enough memory",
    errno.EAGAIN: "this user has as many processes as the system allows",
    errno.ENOSPC: "a limit of the system on control groups or namespaces is reached",
}

_STEPS = {
    "cgroup": "its control group could not be entered",
    "namespace": "its process namespace could not be made",
    "mount": "the process table of its namespace could not be mounted",
    "start": "the starter could not be run",
}


def explain(step: str, number: int, argv0: str, cwd: str) -> LaunchFault:
    """Turn a failed step and its error number into a fault that a person understands.

    Args:
        step: `cwd`, `exec`, `start`, `cgroup`, `namespace` or `mount`.
        number: an `errno`.
        argv0: the program that was asked for.
        cwd: the folder it was to run in.
    """
    return LaunchFault(_reason(step, number, cwd), argv0)


def _reason(step: str, number: int, cwd: str) -> str:
    if number in (errno.EMFILE, errno.ENFILE):
        limit = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
        return f"too many files are open (this daemon may have {limit})"
    if step == "cwd":
        return f"its folder {cwd!r} {_CWD.get(number, _plain(number))}"
    if step == "exec" and number in _EXEC:
        return _EXEC[number]
    what = _ANY.get(number, _plain(number))
    return f"{_STEPS[step]}: {what}" if step in _STEPS else what


def _plain(number: int) -> str:
    return os.strerror(number).lower()
