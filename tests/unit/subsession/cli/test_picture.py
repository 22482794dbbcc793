"""The tree as text."""

import io

import pytest

from subsession.cli.picture import Picture, summary
from subsession.cli.voice import Voice
from subsession.text import width
from subsession.verbs import Json

NOW_MS = 1_800_000_000_000
ROOT = "0" * 20 + "r00t01"


class Paper(io.StringIO):
    """Somewhere to write, with an encoding."""

    def __init__(self, encoding: str = "utf-8") -> None:
        super().__init__()
        self._encoding = encoding

    @property
    def encoding(self) -> str:  # type: ignore[override]
        """Give the encoding."""
        return self._encoding


def voice(encoding: str = "utf-8") -> Voice:
    """Give a voice without colours, 80 columns wide."""
    return Voice(Paper(encoding), Paper(), as_json=False, environ={})


def row(name: str, parent: str | None = ROOT, **more: object) -> Json:
    """Give one row of the operator's tree."""
    found: Json = {
        "nodeId": "0" * 20 + name,
        "seq": 1,
        "title": name,
        "state": "running",
        "stopping": False,
        "blocked": False,
        "declaredTokenCap": 200_000,
        "measuredTokens": None,
        "rootId": ROOT,
        "claimedAt": NOW_MS - 65_000,
        "role": "check",
    }
    if parent:
        found["parentId"] = parent
    return {**found, **more}


ROWS = [
    row("r00t01", None, title="review of subsession", role="", lastSignAt=NOW_MS - 1_000),
    row("ch1d01", title="lint", state="released", outcome="completed", settledAt=NOW_MS - 61_000),
    row("ch1d02", title="types", phase="in-tool", lastSignAt=NOW_MS - 3_000),
    row(
        "gr4nd1",
        "0" * 20 + "ch1d02",
        title="a grandchild with a title that goes on and on",
        state="settled",
        outcome="blocked",
        blocked=True,
        settledAt=NOW_MS,
        measuredTokens={"input": 9_000, "cacheRead": 70_000, "cacheWrite": 1_000, "output": 2_500},
    ),
    row("ch1d03", title="写测试 für alle", state="claimed"),
    row("ch1d04", title="gone", state="settled", outcome="failed", leftovers=["process 12"]),
]

GOLDEN = """\
node                      role     state         last sign   tokens           id
review of subsession      root     • open        for 1m05s   not reported r00t01
├─ lint                   check    ✓ completed   in 4s       not reported ch1d01
├─ types                  check    • in-tool     3s ago      not reported ch1d02
│  └─ a grandchild with…  check    ! blocked     in 1m05s    12k          gr4nd1
├─ 写测试 für alle        check    • starting    1m05s ago   not reported ch1d03
└─ gone                   check    ✗ leftovers               not reported ch1d04"""


def test_a_tree_is_drawn_in_80_columns() -> None:
    """Branches, roles, states, signs, tokens and ids stand in columns, in any alphabet."""
    lines = Picture(voice()).lines(ROWS, NOW_MS)
    assert "\n".join(lines) == GOLDEN
    assert {width(line) for line in lines} == {80}


def test_a_terminal_that_knows_ascii_alone_gets_ascii() -> None:
    """Branches and signs have a plain form."""
    paper = Paper("ascii")
    plain = Voice(paper, Paper(), as_json=False, environ={})
    for line in Picture(plain).lines(ROWS, NOW_MS):
        plain.line(line)
    assert paper.getvalue().isascii()
    assert "|- lint" in paper.getvalue()
    assert "+ completed" in paper.getvalue()


@pytest.mark.scenario("S39")
def test_no_word_of_an_agent_reaches_the_terminal_raw() -> None:
    """Titles, roles, phases and ids full of escapes leave every line in its columns."""
    nasty = "\x1b[2J\u202e</script>" + "\x07" * 9
    rows = [row("n4sty1", None, title=nasty, role=nasty, phase=nasty)]
    rows.append(row("n4sty2", title="x" * (1 << 20), state="settled", outcome=nasty))
    for line in Picture(voice()).lines(rows, NOW_MS):
        assert line.isprintable()
        assert width(line) == 80


def test_a_child_without_its_parent_stands_at_the_top() -> None:
    """A page that lacks a parent, or a circle that cannot be, hangs nobody up."""
    rows = [row("a", "nowhere"), row("b", "0" * 20 + "c"), row("c", "0" * 20 + "b")]
    assert len(Picture(voice()).lines(rows, NOW_MS)) == 2


def test_a_very_deep_tree_keeps_its_columns() -> None:
    """Titles give way, and the line stays as wide as it was."""
    rows = [row("0", None)] + [row(str(n), "0" * 20 + str(n - 1)) for n in range(1, 30)]
    lines = Picture(voice()).lines(rows, NOW_MS)
    assert len(lines) == 31
    assert max(map(width, lines)) == 80


def test_the_summary_counts_and_calls_the_person() -> None:
    """Children are counted by where they stand; blocked ones name the verb that shows them."""
    said = summary(ROWS, voice())
    counts, call = said.split("; ")
    assert counts == "1 completed, 2 live, 1 blocked, 1 failed"
    assert call == "`subsession blocked` shows what waits for you"
    assert summary(ROWS[:1], voice()) == "no children yet"


def test_a_blocked_child_that_somebody_saw_to_is_not_called_blocked() -> None:
    """Its successor goes on, or the person put it aside: neither row nor count asks for her."""
    seen: list[Json] = [{"successor": "x"}, {"dismissed": True}]
    rows = [row(str(n), outcome="blocked", state="released", **m) for n, m in enumerate(seen)]
    assert summary(rows, voice()) == "1 continued, 1 dismissed"
    first, second = Picture(voice()).lines(rows, NOW_MS)[1:]
    assert "– continued" in first
    assert "– dismissed" in second
    assert "!" not in first + second


def test_mail_that_nobody_read_calls_the_person() -> None:
    """However its parent ended; once she put it aside nothing is said."""
    rows = [row("a", state="released", outcome="completed", unread=3)]
    call = "`subsession blocked` shows what waits for you"
    assert summary(rows, voice()) == f"1 completed; 3 reports that nobody read; {call}"
    assert "; 1 report that nobody read;" in summary([{**rows[0], "unread": 1}], voice())
    assert summary([{**rows[0], "dismissed": True}], voice()) == "1 completed"
