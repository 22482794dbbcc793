"""Nothing of Linux is needed to load the packages: what only Linux has is asked for when used."""

import subprocess
import sys

import pytest

# What other systems lack. The standard library and the dependencies are loaded before it goes: they
# look at the system too, and with another name would look for files of another build.
LACKING = """
import importlib, os, pkgutil, select, signal, socket, sys, sysconfig

for name in %(before)r:
    importlib.import_module(name)
sysconfig.get_config_vars()
lacking = {
    os: ("pidfd_open", "P_PIDFD", "waitid", "memfd_create", "eventfd", "setns", "unshare", "splice",
         "copy_file_range", "sched_getaffinity", "O_PATH", "O_TMPFILE", "fdatasync", "pipe2"),
    signal: ("pidfd_send_signal", "SIGRTMIN"),
    socket: ("SO_PEERCRED", "SO_PASSCRED"),
    select: ("epoll",),
}
for module, names in lacking.items():
    for name in names:
        if hasattr(module, name):
            delattr(module, name)
sys.platform = "darwin"
"""
BEFORE = (
    *("aiofiles", "aiohttp.web", "asyncio", "immutables", "jsonrpcserver", "msgspec", "orjson"),
    *("pydantic", "rich.console", "sqlite3", "structlog", "urllib.request"),
)
EVERYTHING = """
import subsession, subsessiond

for package in (subsessiond, subsession):
    for found in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
        if not found.name.endswith("__main__"):
            importlib.import_module(found.name)
            print(found.name)
"""
HERE_ONLY = """
from subsessiond.adapters.peers import PlainPeers, system_peers
from subsessiond.adapters.processes import PortableProcesses
from subsessiond.parts import open_processes
from subsessiond.settings import load

processes = open_processes(load({"HOME": "/"}, state_dir="/state"))
assert isinstance(processes, PortableProcesses), processes
assert isinstance(system_peers(), PlainPeers), system_peers()
"""


def play(code: str) -> str:
    """Run code where nothing of Linux is left."""
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", LACKING % {"before": BEFORE} + code],
        capture_output=True,
        text=True,
        check=False,
        timeout=100,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


# Why so long: in a fresh clone nothing is compiled yet, and the libraries of the models alone are
# thousands of modules; beside three other tools that took half a minute.
@pytest.mark.timeout(110)
def test_every_module_loads_on_a_system_that_is_not_linux() -> None:
    """All modules of both packages are loaded without anything that only Linux has."""
    loaded = play(EVERYTHING).split()
    assert "subsessiond.app" in loaded
    assert "subsession.cli" in loaded
    assert len(loaded) > 150


@pytest.mark.timeout(110)  # as above
def test_another_system_gets_its_own_parts() -> None:
    """Where there is no Linux, processes and peers are those that need none."""
    assert "this system has no containers" in play(HERE_ONLY)
