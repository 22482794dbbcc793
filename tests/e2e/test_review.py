"""`scripts/run` on a small project: real tools, bounded reports, nothing left behind."""

import re
import shlex
import signal
import subprocess
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[2]


def review(state: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Do what scripts/run does once the environment stands, with its state elsewhere."""
    order = [sys.executable, "-m", "scripts.review", "--exit", "--state", str(state), *words]
    return subprocess.run(
        order, cwd=REPOSITORY, capture_output=True, text=True, timeout=110, check=False
    )


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Make a project with a fault for each tool to find."""
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "pyproject.toml").write_text(
        "[tool.ruff.lint]\nselect = ['F401']\n[tool.mypy]\nfiles = ['wrong.py']\n"
    )
    (folder / "wrong.py").write_text("import os\nx: int = 'text'\n")
    (folder / "test_it.py").write_text("def test_one():\n    assert 1 + 1 == 2\n")
    return folder


@pytest.mark.timeout(120)  # three real tools, the type checker with a cold cache
def test_another_project_is_reviewed_by_its_own_settings(tmp_path: Path, project: Path) -> None:
    """Every child is settled by a report, whatever it found; caches stay out of the project."""
    done = review(tmp_path / "s", str(project))
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(r"lint \w+: failed .*\n(.*\n)*.*F401", done.stdout)
    assert "wrong.py:2: error: Incompatible types" in done.stdout
    assert "files: 3" in done.stdout
    assert "test_it" not in done.stdout.split("survey", 1)[0]
    assert done.stdout.endswith("the daemon has ended\n")
    left = {path.name for path in project.iterdir()}
    assert left == {"pyproject.toml", "wrong.py", "test_it.py", ".subsession"}


@pytest.mark.timeout(120)  # as above
def test_its_tests_run_when_asked_for(tmp_path: Path, project: Path) -> None:
    """With --with-tests they are a child too, and leave nothing in the project."""
    done = review(tmp_path / "s", str(project), "--with-tests")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "1 passed" in done.stdout
    assert not list(project.rglob("__pycache__"))
    assert not list(project.rglob(".pytest_cache"))


@pytest.mark.timeout(60)  # a daemon's start and end
def test_interrupted_it_still_ends_its_daemon(tmp_path: Path, project: Path) -> None:
    """Ctrl-C while children work: with --exit neither they nor the daemon go on."""
    (project / "test_it.py").write_text("import time\ndef test_one():\n    time.sleep(600)\n")
    words = [str(project), "--with-tests", "--exit", "--state", str(tmp_path / "s")]
    order = [sys.executable, "-m", "scripts.review", *words]
    with subprocess.Popen(order, cwd=REPOSITORY, stdout=subprocess.PIPE, text=True) as reviewing:
        assert reviewing.stdout is not None
        try:
            for line in reviewing.stdout:
                if re.search(r"tests +\w+ +running", line):
                    break
            reviewing.send_signal(signal.SIGINT)
            assert reviewing.stdout.read().endswith("the daemon has ended\n")
            assert reviewing.wait(20) == 130
        finally:
            reviewing.kill()  # else a run that does not hear would be waited for without end


def test_a_folder_that_is_none_is_told(tmp_path: Path) -> None:
    """Nothing is started for a folder that does not exist."""
    done = review(tmp_path / "s", str(tmp_path / "nowhere"))
    assert done.returncode == 2
    assert "is no folder" in done.stderr
    assert not (tmp_path / "s").exists()


@pytest.mark.timeout(120)  # a walk of several seconds, by design
def test_the_tour_goes_as_told(tmp_path: Path) -> None:
    """Blocked, grant and succession are real; the tour says which agents are scripted."""
    done = review(tmp_path / "s", "--tour")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "plays a script" in done.stdout
    assert "approval-required: fs write docs/notes.md" in done.stdout
    assert "  grants: files docs/**\n" in done.stdout
    assert '  {"outcome":"blocked","blockers":["approval-required: fs' in done.stdout
    assert "  The operator started " in done.stdout
    assert done.stdout.count("Wrote docs/notes.md.") == 3  # to the person twice, to the parent once
    assert "Read the other 5: all well." in done.stdout


@pytest.mark.timeout(120)  # a walk of several seconds, and two daemons
def test_what_to_type_next_brings_the_same_daemon_back(tmp_path: Path) -> None:
    """The words it prints work from a folder with a space, and after a crash with its own roles."""
    state = tmp_path / "my clone"
    order = [sys.executable, "-m", "scripts.review", "--tour", "--state", str(state)]
    done = subprocess.run(order, cwd=REPOSITORY, capture_output=True, text=True, check=False)
    (alias,) = re.findall(r"^ *(alias s=.*)$", done.stdout, re.MULTILINE)
    typed = (
        f"shopt -s expand_aliases\n{alias}\n"
        "s status\n"
        f"kill -9 $(cat {shlex.quote(str(state / 'tour' / 'lock'))})\n"
        "s spawn again --role scripted-reader --check; code=$?\n"
        "s down; exit $code\n"
    )
    try:
        again = subprocess.run(
            ["bash", "-c", typed],
            cwd=state / "tour" / "workspace",
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert again.returncode == 0, again.stdout + again.stderr
    finally:
        down = [sys.executable, "-m", "subsession", "--state-dir", str(state / "tour"), "down"]
        subprocess.run(down, capture_output=True, check=False)
