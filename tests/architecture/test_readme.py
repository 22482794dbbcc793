"""The table of scenarios in tests/README.md is whole; scripts/gen-scenarios fills it."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def test_every_scenario_has_a_row() -> None:
    """S01 to S40 stand in the table, each once and in order."""
    rows = re.findall(r"^\| (S\d\d) \|", (ROOT / "tests/README.md").read_text(), re.MULTILINE)
    assert rows == [f"S{number:02}" for number in range(1, 41)]


@pytest.mark.parametrize("marked", [True, False])
def test_a_stale_table_is_found(tmp_path: Path, *, marked: bool) -> None:
    """A marked test missing from the table, and only that, makes the generator's check fail."""
    generator = tmp_path / "scripts/gen-scenarios"
    generator.parent.mkdir()
    generator.write_text((ROOT / "scripts/gen-scenarios").read_text())
    table = tmp_path / "tests/README.md"
    table.parent.mkdir()
    table.write_text("| S09 | – | a kind |\n")
    decorator = '@pytest.mark.scenario("S09")\n' if marked else ""
    (table.parent / "test_some.py").write_text(f"{decorator}def test_one(): ...\n")

    def run(*options: str) -> int:
        order = [sys.executable, str(generator), *options]
        return subprocess.run(order, check=False, timeout=20, capture_output=True).returncode

    assert run("--check") == int(marked)
    assert run() == 0
    assert run("--check") == 0
    assert ("`test_some.py::test_one`" in table.read_text()) == marked
