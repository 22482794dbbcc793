"""The ledger, as lines."""

import io

import pytest

from subsession.cli.ledger import in_short, percent, table
from subsession.cli.voice import Voice
from tests.support.rows import CHILD, ROOT, figures, sums


def a_voice(encoding: str = "utf-8") -> Voice:
    """Give a voice that writes 80 columns to nobody."""
    out = io.TextIOWrapper(io.BytesIO(), encoding=encoding)
    return Voice(out, out, as_json=False, environ={})


def test_a_table_fits_eighty_columns() -> None:
    """Titles are cut, children stand below their parents, figures right."""
    deeper = figures(nodeId=CHILD[:-1] + "2", parentId=CHILD, title="x" * 90)
    lines = table([sums()], [figures(), deeper], a_voice())
    assert lines[1:4] == [
        "site                          250 kB      83k     1 kB      334   0.40 %  r00t01",
        "  lint                        250 kB      83k     1 kB      334   0.40 %  ch1d01",
        "    xxxxxxxxxxxxxxxxxxxxxx…   250 kB      83k     1 kB      334   0.40 %  ch1d02",
    ]
    assert {len(line) for line in lines[1:4]} == {80}


def test_a_deep_tree_keeps_room_for_titles() -> None:
    """From some level on nothing is moved to the right any more."""
    ids = [CHILD[:-2] + f"{n:02}" for n in range(30)]
    rows = [figures(nodeId=me, parentId=up) for up, me in zip([ROOT, *ids], ids, strict=False)]
    lines = table([sums()], rows, a_voice())
    assert len(lines) == 30 + 3
    assert all("lint" in line and len(line) == 80 for line in lines[2:-1])


def test_other_roots_and_alphabets_are_served() -> None:
    """Each root has its own children, and a cut is shown in ASCII where that is all there is."""
    other = sums(rootId=ROOT[:-1] + "2", title="y" * 90)
    lines = table([sums(), other], [figures()], a_voice("ascii"))
    assert [line[:6] for line in lines[1:4]] == ["site  ", "  lint", "yyyyyy"]
    assert "y.. " in lines[3]


def test_what_is_not_known_is_no_number() -> None:
    """Null is a word, and has no share."""
    unknown = {"transcriptBytes": None, "transcriptEstimatedTokens": None, "ratio": None}
    lines = table([sums(**unknown, counted=0)], [figures(**unknown)], a_voice())
    assert lines[1].split()[1:] == ["unknown", "1", "kB", "334", "r00t01"]
    assert lines[3] == "  sums are of 0 of 1 children"
    assert in_short(figures(**unknown)) == "session unknown, parent shown 1 kB (~334 tokens)"


def test_what_stands_beside_the_sums_is_said() -> None:
    """Definitions, repeats, answers of no child and a killed daemon have a line each."""
    root = sums(generalBytes=90, againBytes=2_000, definitionBytes=8_900, mayLack=True)
    assert table([root], [], a_voice())[2:-1] == [
        "  of no one child: 90 B of what was shown",
        "  shown once more: 2 kB of mail",
        "  definitions of tools, fixed: 8.9 kB",
        "  a daemon was killed: what it counted in its last second may be missing",
    ]


@pytest.mark.parametrize(
    ("ratio", "said"), [(0.0, "0.00 %"), (0.0042, "0.42 %"), (0.1234, "12.3 %"), (3.5, "350.0 %")]
)
def test_shares_are_in_percent(ratio: float, said: str) -> None:
    """Small ones have two decimals, others one."""
    assert percent(ratio) == said
