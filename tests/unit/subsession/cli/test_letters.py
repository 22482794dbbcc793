"""What the command line shows of one node."""

import io
from typing import Any

import pytest

from subsession.cli.letters import settled_text, show_text
from subsession.cli.voice import Voice
from tests.support.rows import child_row, view

OWN = {"input": 9_000, "cacheRead": None, "cacheWrite": 1_000, "output": 2_000}


def quiet() -> Voice:
    """Make a voice that nobody hears, without colours."""
    return Voice(io.StringIO(), io.StringIO(), as_json=False, environ={})


def shown(**row: Any) -> str:
    """Show a node."""
    return show_text(view(child_row(**row)), quiet(), 10_000)


@pytest.mark.scenario("S40")
def test_tokens_are_shown_with_all_below_and_of_how_many_they_are() -> None:
    """A sum over nodes that do not all report says so; without any below there is one number."""
    below = {**OWN, "input": 90_000, "reporting": 3, "started": 4}
    told = shown(measuredTokens=OWN, measuredSubtree=below)
    assert "12k, cap 20,000" in told
    assert "93k, 3 of 4 report" in told
    assert "4 report" not in shown(measuredSubtree={**below, "reporting": 4})
    alone = shown(measuredTokens=OWN, measuredSubtree={**OWN, "reporting": 1, "started": 1})
    assert "with below" not in alone
    assert "not reported" in shown(measuredSubtree=None)


@pytest.mark.parametrize(
    ("diagnostic", "more"),
    [
        ("cannot start it", []),
        ("cannot start it\nstderr: no such file", ["  stderr: no such file"]),
        ("cannot start it at all", ["  cannot start it at all"]),
        (None, []),
    ],
)
def test_what_a_report_says_is_not_said_again_below_it(
    diagnostic: str | None, more: list[str]
) -> None:
    """Of a diagnostic that begins with the report only the rest is shown, by both verbs."""
    found = view(child_row("failed"), output="cannot start it", diagnostic=diagnostic)
    assert settled_text(found, quiet()).splitlines()[1:] == ["  cannot start it", *more]
    told = show_text(found, quiet(), 10_000).splitlines()
    below = ["diagnostic", *more] if more else []
    assert told[told.index("report") :] == ["report", "  cannot start it", *below]


def test_unread_mail_names_the_verb_that_shows_it() -> None:
    """Of a settled parent nobody took over; a live one reads it itself."""
    left = {**view(child_row("failed", unread=2)), "unread": 2}
    assert "2; `subsession inbox" in show_text(left, quiet(), 10_000)
    lives = {**view(child_row(None)), "unread": 2}
    assert "inbox" not in show_text(lives, quiet(), 10_000)


def test_the_times_of_a_life_fit_a_terminal() -> None:
    """When it began stands in a line of its own, and what came then below it, none too long."""
    times = {"startedAt": 62_000, "settledAt": 3_725_000, "releasedAt": 3_785_000}
    told = shown(**times).splitlines()
    (began,) = (line for line in told if line.startswith("claimed "))
    assert "after" not in began
    (then,) = (line for line in told if line.startswith("since then "))
    assert then.count(" after ") == 3
    assert max(map(len, told)) <= 80
