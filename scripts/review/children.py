"""What the children of a review run: real tools, in their wordy modes, with caches elsewhere."""

import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path

REPOSITORY = Path(__file__).parents[2]
_FAST_TESTS = ("tests/unit", "tests/property", "tests/architecture")


@dataclass(frozen=True)
class Task:
    """One child to be."""

    title: str
    mission: str
    argv: tuple[str, ...]


def plan(folder: Path, cache: Path, *, with_tests: bool) -> list[Task]:
    """Lay out the children that review a folder.

    Args:
        folder: what is reviewed, absolute.
        cache: where tools may keep what they remember; outside of what is reviewed, or ignored.
        with_tests: run the tests of a folder that is not this repository.
    """
    tasks = [_lint(cache), _types(folder, cache)]
    if folder == REPOSITORY or with_tests:
        tasks.append(_tests(folder, cache))
    return [*tasks, _survey(folder)]


def _python(cache: Path, *words: str) -> tuple[str, ...]:
    """Give a command line that runs a module of this environment and litters nowhere."""
    settings = (
        f"PYTHONPYCACHEPREFIX={cache / 'pycache'}",
        f"HYPOTHESIS_STORAGE_DIRECTORY={cache / 'hypothesis'}",
        "PYTHONUNBUFFERED=1",
    )
    return ("env", *settings, *words)


def _lint(cache: Path) -> Task:
    # Why --verbose: a linter that finds nothing would have nothing to hide from the parent.
    words = ("-m", "ruff", "check", "--verbose", "--output-format", "full")
    argv = _python(cache, sys.executable, *words, "--cache-dir", str(cache / "ruff"), ".")
    return Task("lint", "Check the style of all sources with ruff.", argv)


def _types(folder: Path, cache: Path) -> Task:
    words = ("-m", "mypy", "--verbose", "--no-color-output", "--cache-dir", str(cache / "mypy"))
    argv = _python(cache, sys.executable, *words, *_typed_paths(folder))
    return Task("types", "Check the types of all sources with mypy.", argv)


def _typed_paths(folder: Path) -> tuple[str, ...]:
    """Tell what to check: what the project's own settings name, else all of it."""
    if folder == REPOSITORY:
        return ("subsessiond", "clients")
    try:
        settings = tomllib.loads((folder / "pyproject.toml").read_text("utf-8"))
        own = settings["tool"]["mypy"]
    except (OSError, ValueError, KeyError, TypeError):
        return (".",)
    return () if {"files", "packages", "modules"} & set(own) else (".",)


def _tests(folder: Path, cache: Path) -> Task:
    words = ("-m", "pytest", "-v", "-p", "no:cacheprovider", "--color=no")
    if folder == REPOSITORY:
        argv = _python(cache, "HYPOTHESIS_PROFILE=dev", sys.executable, *words, "-n2", *_FAST_TESTS)
        return Task("tests", "Run the fast tests: unit, property, architecture.", argv)
    own = folder / ".venv" / "bin" / "python"
    python = str(own) if own.exists() else sys.executable
    # Why: plugins of this environment are no part of that project's tests.
    argv = _python(cache, "PYTEST_DISABLE_PLUGIN_AUTOLOAD=1", python, *words)
    return Task("tests", "Run the project's own tests.", argv)


def _survey(folder: Path) -> Task:
    argv = (sys.executable, str(REPOSITORY / "scripts" / "survey.py"), str(folder))
    return Task("survey", "Count files, lines and TODOs, and name the largest files.", argv)
