"""What `scripts/install` makes is whole: it works without the sources it was built from."""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture
def folder() -> Iterator[Path]:
    """Give a folder with a short name, because a socket's path has to be short."""
    found = Path(tempfile.mkdtemp(prefix="ssw-"))
    yield found
    shutil.rmtree(found)


@pytest.mark.serial
@pytest.mark.timeout(300)  # an environment is made and filled from the package index
def test_an_installed_wheel_runs_a_child(folder: Path) -> None:
    """Both commands run from the wheel alone, with the shipped configuration and the document."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("SUBSESSION_", "XDG_"))}
    environ = {**kept, "SUBSESSION_STATE_DIR": str(folder / "s"), "XDG_CONFIG_HOME": str(folder)}
    bin_folder = folder / "env" / "bin"

    def run(*words: str | Path) -> str:
        done = subprocess.run(
            words, cwd=folder, env=environ, capture_output=True, text=True, timeout=240, check=False
        )
        assert done.returncode == 0, (words, done.stdout, done.stderr)
        return done.stdout

    run(ROOT / "scripts/install", folder / "env")
    where = run(bin_folder / "python", "-c", "import subsession as s; print(s.__file__)")
    assert where.startswith(str(folder / "env"))
    assert "as shipped" in run(bin_folder / "subsessiond", "check-config")
    try:
        said = run(bin_folder / "subsession", "run", "--wait", "--", "echo", "hello from the wheel")
    finally:
        run(bin_folder / "subsession", "down")
    assert "completed" in said
    assert "hello from the wheel" in said
