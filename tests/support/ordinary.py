"""Runs tests once more as a user without privileges, and is the program that becomes that user.

As a program: `ordinary.py REFUSED GROUP COMMAND...` joins the cgroup GROUP (none: empty), has every
namespace refused if REFUSED is `refused`, becomes the user, and runs COMMAND in its place.
"""

import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import pytest

UID = 65_534
ROOT = Path(__file__).parents[2]

needs_root = pytest.mark.skipif(
    os.geteuid() != 0,
    reason="becoming an ordinary user takes root; run by one, the rest of this file says it all",
)


@cache
def interpreter() -> str:
    """Find an interpreter of this very version that an ordinary user may run; skip without one."""
    minor = f"{sys.version_info.major}.{sys.version_info.minor}"
    for candidate in (sys.executable, f"/usr/bin/python{minor}", f"/usr/local/bin/python{minor}"):
        if (
            subprocess.run(
                _become(candidate, "-c", ""), check=False, capture_output=True
            ).returncode
            == 0
        ):
            return candidate
    pytest.skip("no interpreter of this version lies where an ordinary user may run it")


def _become(*command: str, group: str = "", refused: bool = False) -> list[str]:
    word = "refused" if refused else "allowed"
    return [sys.executable, __file__, word, group, *command]


@contextmanager
def home() -> Iterator[Path]:
    """Give a folder of the ordinary user; pytest's own ones are closed to him."""
    with tempfile.TemporaryDirectory(prefix="ssd-user-") as name:
        shutil.chown(name, UID, UID)
        yield Path(name)


def run_tests(
    *arguments: str, limit_s: float, group: str = "", refused: bool = False
) -> "subprocess.CompletedProcess[str]":
    """Run pytest as an ordinary user.

    Args:
        arguments: of pytest.
        limit_s: seconds it may take.
        group: a cgroup of his that it is to run in.
        refused: whether he may make no namespaces.
    """
    with home() as folder:
        command = _become(
            *(interpreter(), "-B", "-m", "pytest", "-q", "-rs", "-p", "no:cacheprovider"),
            *(f"--basetemp={folder}/run", *arguments),
            group=group,
            refused=refused,
        )
        packages = (str(ROOT), str(ROOT / "clients"), sysconfig.get_path("purelib"))
        return subprocess.run(
            command,
            env={
                "PATH": os.environ["PATH"],
                "HOME": str(folder),
                "TMPDIR": str(folder),
                "LANG": "C.UTF-8",
                "PYTHONPATH": os.pathsep.join(packages),
            },
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=False,
            timeout=limit_s,
        )


def main() -> None:
    """Become the user and the command."""
    sys.path.insert(0, str(ROOT))
    from tests.support.seccomp import refuse_namespaces  # needs the path

    word, group, *command = sys.argv[1:]
    if group:
        (Path(group) / "cgroup.procs").write_text("0")
    os.setgroups([])
    os.setresgid(UID, UID, UID)
    os.setresuid(UID, UID, UID)
    if word == "refused":
        refuse_namespaces()
    os.execvp(command[0], command)


if __name__ == "__main__":
    main()
