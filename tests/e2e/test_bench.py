import json
import re
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


PARTS = (
    r"processor time of a report: (\d+) µs, of it deciding (\d+), publishing (\d+),"
    r" RPC and WebSocket (\d+), the store (\d+), journals and others (-?\d+);"
    r" a commit holds ([\d.]+) reports, writes (\d+) KiB and takes ([\d.]+) ms,"
    r" ([\d.]+) ms of it computing; a bare one of as much ([\d.]+) ms"
)


# Why longer: as above.
@pytest.mark.timeout(120)
def test_what_a_report_costs_is_told_as_it_was_measured() -> None:
    """Rows of reports say where their time went in this run, and the parts make up the whole."""
    rows = ("--row", "report-64", "--row", "report-1")
    order = [str(ROOT / "scripts/bench"), "--quick", *rows, "--json"]
    done = subprocess.run(order, capture_output=True, text=True, timeout=100, check=False)
    many, one = json.loads(done.stdout)
    for row in (many, one):
        found = re.search(PARTS, row["note"])
        assert found is not None, row
        whole, *parts, held, wrote, took, computing, bare = map(float, found.groups())
        assert whole > 0
        assert sum(parts) == pytest.approx(whole, abs=len(parts))  # each is rounded
        assert took >= computing > 0
        assert min(held, wrote, bare) > 0
        assert (held > 1.5) == (row is many)


def test_an_unknown_row_is_refused() -> None:
    """A row that there is not is named, with those that there are."""
    order = [str(ROOT / "scripts/bench"), "--row", "no-such-row"]
    done = subprocess.run(order, capture_output=True, text=True, timeout=25, check=False)
    assert done.returncode == 2
    assert "no-such-row" in done.stderr
    assert "tree-command" in done.stderr
