import json
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FIELDS = {"name", "what", "target", "unit", "ours", "ceiling", "ratio", "met", "note"}


# Why longer: two daemons come up one after the other, and the script sets itself up first.
@pytest.mark.timeout(120)
def test_one_row_is_measured_beside_its_ceiling() -> None:
    """A quick run of one row prints that row alone, with its numbers, and judges it by them."""
    order = [str(ROOT / "scripts/bench"), "--quick", "--row", "tree-command", "--json"]
    done = subprocess.run(order, capture_output=True, text=True, timeout=100, check=False)
    (row,) = json.loads(done.stdout)
    assert set(row) == FIELDS
    assert row["name"] == "tree-command"
    assert row["ours"] > row["ceiling"] > 0
    assert row["ratio"] == pytest.approx(row["ours"] / row["ceiling"])
    assert row["met"] is (row["ours"] <= 200)
    assert done.returncode == (0 if row["met"] else 1), done.stderr


def test_an_unknown_row_is_refused() -> None:
    """A row that there is not is named, with those that there are."""
    order = [str(ROOT / "scripts/bench"), "--row", "no-such-row"]
    done = subprocess.run(order, capture_output=True, text=True, timeout=25, check=False)
    assert done.returncode == 2
    assert "no-such-row" in done.stderr
    assert "tree-command" in done.stderr
