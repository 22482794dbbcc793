"""The table of scenarios in tests/README.md tells the truth."""

import re
from pathlib import Path

TESTS = Path(__file__).parents[1]
UNWRITTEN = "–"


def read_table() -> dict[str, str]:
    """Give the test cell of every scenario, by id."""
    rows = re.findall(
        r"^\| (S\d\d) \| (.+?) \| .+ \|$", (TESTS / "README.md").read_text(), re.MULTILINE
    )
    assert len(rows) == len(dict(rows))
    return dict(rows)


def read_marked() -> dict[str, set[str]]:
    """Give the files with a test marked for each scenario, by id."""
    marked: dict[str, set[str]] = {}
    for path in sorted(TESTS.rglob("test_*.py")):
        for arguments in re.findall(r"mark\.scenario\(([^)]*)\)", path.read_text()):
            for name in re.findall(r"[\"'](S\d\d)[\"']", arguments):
                marked.setdefault(name, set()).add(str(path.relative_to(TESTS)))
    return marked


def test_every_scenario_has_a_row() -> None:
    """S01 to S40 stand in the table, each once and in order."""
    assert list(read_table()) == [f"S{number:02}" for number in range(1, 41)]


def test_every_named_test_exists_and_stands_for_its_scenario() -> None:
    """A file named in the table has a test marked with the scenario of its row."""
    marked = read_marked()
    wrong = [
        f"{name}: {file}"
        for name, cell in read_table().items()
        for file in re.findall(r"`([^`]+)`", cell)
        if file.partition("::")[0] not in marked.get(name, set())
    ]
    assert not wrong


def test_every_written_scenario_is_in_the_table() -> None:
    """A scenario with a test is not shown as unwritten."""
    table = read_table()
    assert not [name for name in read_marked() if table[name] == UNWRITTEN]
