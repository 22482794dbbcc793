"""The same promises for a user who is not root."""

import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

NOBODY = ("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--inh-caps=-all")
HERE = Path(__file__).parent

needs_root = pytest.mark.skipif(
    os.geteuid() != 0 or shutil.which("setpriv") is None,
    reason="becoming an ordinary user takes root and setpriv; run by one, this suite says it all",
)


def interpreter() -> str | None:
    """Find an interpreter of this very version that an ordinary user may run."""
    minor = f"{sys.version_info.major}.{sys.version_info.minor}"
    for candidate in (sys.executable, f"/usr/bin/python{minor}", f"/usr/local/bin/python{minor}"):
        # Why a shell between: the user changes before the lookup, as in the programs it starts.
        command = [*NOBODY, "sh", "-c", f"exec {candidate} -c ''"]
        if subprocess.run(command, check=False, capture_output=True).returncode == 0:
            return candidate
    return None


@pytest.fixture
def home() -> Iterator[Path]:
    """A folder of the ordinary user; pytest's own ones are closed to him."""
    with tempfile.TemporaryDirectory(prefix="subsessiond-test-") as name:
        shutil.chown(name, 65534, 65534)
        yield Path(name)


@needs_root
@pytest.mark.serial
@pytest.mark.timeout(120)
def test_stop_and_exit_hold_without_root(home: Path) -> None:
    """Exits, stops and restarts pass for an ordinary user, by namespace and by descent."""
    python = interpreter()
    if python is None:
        pytest.skip("no interpreter of this version lies where an ordinary user may run it")
    names = ("test_exit.py", "test_stop.py", "test_restart.py")
    run = subprocess.run(
        [
            *(*NOBODY, python, "-B", "-m", "pytest", "-q", "-x", "-rs", "-p", "no:cacheprovider"),
            f"--basetemp={home}/run",
            *(str(HERE / name) for name in names),
        ],
        env={
            "PATH": os.environ["PATH"],
            "HOME": str(home),
            "LANG": "C.UTF-8",
            "PYTHONPATH": os.pathsep.join((str(HERE.parents[2]), sysconfig.get_path("purelib"))),
        },
        cwd=HERE.parents[2],
        capture_output=True,
        text=True,
        check=False,
        timeout=110,
    )
    assert run.returncode == 0, run.stdout[-4000:] + run.stderr[-2000:]
    assert "passed" in run.stdout
    assert "descent container" not in run.stdout
