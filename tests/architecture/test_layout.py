"""The tree is laid out as agreed: small files, short functions, plain names, mirrored tests."""

import json
import re
import subprocess
import tomllib
from pathlib import Path

import pytest

from tests.architecture import rules

ROOT = Path(__file__).parents[2]
TOP_FOLDERS = frozenset({"clients", "config", "scripts", "subsessiond", "tests"})
TOP_FILES = frozenset({"CHANGELOG.md", "Dockerfile", "LICENSE", "README.md", "pyproject.toml"})

# A file may be longer, and a function too, for a reason that stands here.
LONG_FILES: dict[str, str] = {}
LONG_FUNCTIONS: dict[str, str] = {}
# A class may be named so for a reason that stands here.
NAMED_SO = {"class InfoAnswer": "what the method daemon.info answers"}


def list_tracked() -> list[str]:
    """Give the files that are or would be committed."""
    order = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(order, cwd=ROOT, capture_output=True, text=True, check=True, timeout=20)
    return [name for name in listed.stdout.splitlines() if (ROOT / name).is_file()]


def list_python() -> list[str]:
    """Give every Python file of the repository."""
    return [name for name in list_tracked() if name.endswith(".py")]


def test_files_stop_at_300_lines() -> None:
    """No Python file is longer than 300 lines, but those with a reason."""
    counts = {name: len((ROOT / name).read_text().splitlines()) for name in list_python()}
    long = {name: count for name, count in counts.items() if count > rules.FILE_LINES}
    assert long.keys() == LONG_FILES.keys(), long


def test_functions_are_short_and_classes_well_named() -> None:
    """No function has more than 40 lines, but those with a reason; no class has a banned name."""
    broken = [
        f"{name}:{finding.line}: {finding.what}"
        for name in list_python()
        for finding in rules.check(rules.LAYOUT, (ROOT / name).read_text())
        if f"{name}:{finding.what.split()[0]}" not in LONG_FUNCTIONS
        if finding.what not in NAMED_SO
    ]
    assert not broken, "\n".join(broken)


def test_files_are_well_named() -> None:
    """Every Python file has a snake_case name without a banned word."""
    named = {name: rules.find_bad_name(Path(name)) for name in list_python()}
    assert not {name: fault for name, fault in named.items() if fault}


def test_cancelled_has_two_ls() -> None:
    """The word is spelled one way in the packages."""
    broken = [
        f"{name}:{finding.line}: {finding.what}"
        for name in list_python()
        if name.startswith(("subsessiond/", "clients/"))
        for finding in rules.find_american((ROOT / name).read_text())
    ]
    assert not broken, "\n".join(broken)


def test_the_top_level_holds_what_was_agreed() -> None:
    """Nothing lies at the top but the agreed files and folders and dot-files."""
    tops = {name.partition("/")[::2] for name in list_tracked() if not name.startswith(".")}
    assert {top for top, rest in tops if rest} <= TOP_FOLDERS
    assert {top for top, rest in tops if not rest} <= TOP_FILES


def test_unit_tests_mirror_the_packages() -> None:
    """Every file in tests/unit stands for a module: `core/test_spawn.py` for `core/spawn.py`."""
    strangers = [
        name
        for name in list_python()
        if re.match(r"tests/unit/.*/?test_\w+\.py$", name) and not find_subject(Path(name))
    ]
    assert not strangers


def find_subject(test: Path) -> Path | None:
    """Give the module a unit test stands for; `test_spawn_limits.py` stands for `spawn` too."""
    parts = test.parent.relative_to("tests/unit").parts
    base = ROOT / ("clients" if parts[:1] == ("subsession",) else "subsessiond") / Path(*parts)
    words = test.stem.removeprefix("test_").split("_")
    for count in range(len(words), 0, -1):
        stem = "_".join(words[:count])
        for found in (base / f"{stem}.py", base / stem / "__init__.py"):
            if found.is_file():
                return found
    return base / "__init__.py" if words == [base.name] else None


def test_every_test_says_what_it_shows() -> None:
    """Every test has a docstring of one sentence of behaviour."""
    silent = [
        f"{name}:{finding.line}: {finding.what}"
        for name in list_python()
        if re.search(r"^tests/.*test_\w+\.py$", name)
        for finding in rules.check((rules.find_silent_tests,), (ROOT / name).read_text())
    ]
    assert not silent, "\n".join(silent)


def test_locks_name_no_host_and_no_path() -> None:
    """A lock says what to install, never where from."""
    for lock in sorted((ROOT / "scripts/locks").iterdir()):
        text = lock.read_text()
        assert not re.search(r"://|^\s*-(?!-hash=sha256:)|(^|\s)/", text, re.MULTILINE), lock


def test_npm_locks_name_no_registry() -> None:
    """A lock of npm packages has a hash for each, and no address to fetch it from."""
    locks = [ROOT / name for name in list_tracked() if name.endswith("package-lock.json")]
    assert locks
    for lock in locks:
        packages = json.loads(lock.read_text())["packages"]
        packages.pop("")
        assert all("integrity" in row and "resolved" not in row for row in packages.values()), lock


def test_locks_hold_every_requirement() -> None:
    """Each requirement of the project is locked; if not, run scripts/lock."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    groups = project["dependency-groups"]
    assert not find_unlocked(project["project"]["dependencies"], "run")
    for extra in project["project"]["optional-dependencies"].values():
        assert not find_unlocked(extra, "model")
        assert not find_unlocked(extra, "dev")
    assert not find_unlocked(groups["build"], "build")
    assert not find_unlocked(groups["agents"], "agents")
    assert not find_unlocked(groups["small-model"], "small-model")
    assert not find_unlocked([word for word in groups["dev"] if isinstance(word, str)], "dev")


def find_unlocked(requirements: list[str], lock: str) -> set[str]:
    """Give the names required but not locked."""
    text = (ROOT / f"scripts/locks/{lock}.txt").read_text()
    locked = set(re.findall(r"^([a-z0-9-]+)==", text, re.MULTILINE))
    return {re.split(r"[\[<>=!~ ]", word)[0] for word in requirements} - locked


@pytest.mark.parametrize(
    ("source", "what"),
    [
        ("def f():\n" + "    x\n" * 40, "f has 41 lines"),
        ('async def f():\n    """D.\n\n    D."""\n' + "    x\n" * 40, "f has 41 lines"),
        ("class ChildManager: ...", "class ChildManager"),
        ("class HTTPUtils: ...", "class HTTPUtils"),
    ],
)
def test_each_layout_rule_catches_its_violation(source: str, what: str) -> None:
    """A function of 41 lines and a class with a banned name are found."""
    assert [finding.what for finding in rules.check(rules.LAYOUT, source)] == [what]


def test_what_fits_is_left_alone() -> None:
    """Forty lines pass, and a name that only contains a banned word's letters."""
    source = "def f():\n" + "    x\n" * 39 + "class Dataset: ...\nclass Information: ...\n"
    assert not rules.check(rules.LAYOUT, source)


@pytest.mark.parametrize("name", ["utils.py", "child_manager.py", "Spawn.py", "two__words.py"])
def test_bad_file_names_are_found(name: str) -> None:
    """A banned word or a capital in a file name is found."""
    assert rules.find_bad_name(Path(name))


@pytest.mark.parametrize("name", ["spawn.py", "__init__.py", "test_spawn_limits.py", "_ids.py"])
def test_good_file_names_pass(name: str) -> None:
    """Plain snake_case names pass."""
    assert rules.find_bad_name(Path(name)) is None


def test_silent_tests_are_found() -> None:
    """A test without a sentence is found, on its line."""
    source = 'def test_a():\n    """Say."""\n\nasync def test_b(\n    x: int,\n) -> None:\n    x\n'
    found = rules.check((rules.find_silent_tests,), source)
    assert [finding.line for finding in found] == [4]
