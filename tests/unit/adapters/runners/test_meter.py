"""Running totals of what agents say they used."""

from typing import Any

import pytest

from subsessiond.adapters.runners import meter as module
from subsessiond.adapters.runners.meter import Meter, usage_of
from subsessiond.model.usage import FIGURE_MOST, Usage

NAMES = {
    "input": "input_tokens",
    "cache_read": "cache_read_input_tokens",
    "cache_write": "cache_creation_input_tokens",
    "output": "output_tokens",
}


def use(given: int | None = None, output: int | None = None, **more: int) -> Usage:
    """Make a reading."""
    return Usage(input=given, output=output, **more)


def test_nothing_read_gives_no_total() -> None:
    """Not even zero."""
    assert Meter().total() is None


def test_a_message_on_several_lines_counts_once() -> None:
    """Two messages, the first said three times with equal figures, each counted once."""
    meter = Meter()
    for _ in range(3):
        meter.message("m1", use(100, 10, cache_read=50))
    meter.message("m2", use(30, 7))
    assert meter.total() == use(130, 17, cache_read=50)


def test_the_last_reading_of_a_message_counts() -> None:
    """While a message streams its output grows; a smaller one that comes later is right too."""
    meter = Meter()
    for output in (1, 5, 40, 39):
        meter.message("m1", use(100, output))
    assert meter.total() == use(100, 39)


def test_old_messages_told_again_after_a_resume_add_nothing() -> None:
    """Their names are known."""
    meter = Meter()
    for _ in range(2):
        for number in range(5):
            meter.message(f"m{number}", use(10, 1))
    assert meter.total() == use(50, 5)


def test_running_totals_are_not_added_up() -> None:
    """The greatest is the total; a lower one is left aside, and noted."""
    meter = Meter()
    for total in (100, 250, 250):
        meter.cumulative(use(total, total // 10))
    assert (meter.total(), meter.lowered) == (use(250, 25), 0)
    meter.cumulative(use(40, 4))
    assert (meter.total(), meter.lowered) == (use(250, 25), 1)
    meter.cumulative(use(260, 26))
    assert (meter.total(), meter.lowered) == (use(260, 26), 1)


def test_a_running_total_that_leaves_a_figure_out_did_not_fall_to_nothing() -> None:
    """The figure stays as it was known."""
    meter = Meter()
    meter.cumulative(use(100, 10))
    meter.cumulative(use(120))
    assert meter.total() == use(120, 10)


def test_messages_and_running_totals_of_the_same_run_are_not_added() -> None:
    """The greater of the two is right: both tell the same story."""
    meter = Meter()
    meter.message("m1", use(100, 10))
    meter.cumulative(use(100, 12))
    assert meter.total() == use(100, 12)


def test_a_summary_checks_and_adds_nothing() -> None:
    """One that agrees is silent, one that does not is noted, and neither moves the total."""
    meter = Meter()
    meter.message("m1", use(100, 10))
    meter.message("m2", use(50, 5))
    meter.summary(use(150, 15))
    assert (meter.total(), meter.unlike) == (use(150, 15), 0)
    meter.summary(use(300, 30))
    assert (meter.total(), meter.unlike) == (use(150, 15), 1)


def test_a_summary_alone_is_the_only_reading_there_is() -> None:
    """It counts until something else is read."""
    meter = Meter()
    meter.summary(use(150, 15))
    assert meter.total() == use(150, 15)
    meter.message("m1", use(100, 10))
    assert meter.total() == use(100, 10)


@pytest.mark.parametrize(
    "usage",
    [Usage(), use(-1), use(-5, -5), use(FIGURE_MOST + 1)],
)
def test_what_cannot_be_a_reading_is_none(usage: Usage) -> None:
    """It neither counts nor takes the place of one that was right."""
    meter = Meter()
    for read in (meter.cumulative, meter.summary, lambda u: meter.message("m1", u)):
        read(usage)
        assert meter.total() is None
    meter.message("m1", use(1, 1))
    meter.message("m1", usage)
    assert (meter.total(), meter.lowered, meter.unlike) == (use(1, 1), 0, 0)


def test_zero_is_a_reading() -> None:
    """An agent that says 0 has said something."""
    meter = Meter()
    meter.message("m1", use(0, 0))
    assert meter.total() == use(0, 0)


@pytest.mark.parametrize("name", ["", "m" * 257])
def test_a_message_without_a_proper_name_is_not_counted(name: str) -> None:
    """It could not be told from itself when it comes again."""
    meter = Meter()
    meter.message(name, use(1, 1))
    assert meter.total() is None


def test_messages_are_bounded_and_none_is_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    """The oldest are let go of as names; their figures stay in the sum."""
    monkeypatch.setattr(module, "MESSAGES_MOST", 10)
    meter = Meter()
    for number in range(25):
        meter.message(f"m{number}", use(2, 1))
    meter.message("m24", use(3, 1))
    assert meter.total() == use(51, 25)


@pytest.mark.parametrize(
    ("raw", "usage"),
    [
        ({"input_tokens": 3, "output_tokens": 4}, use(3, 4)),
        ({"input_tokens": 3.0, "output_tokens": 4.5}, use(3)),
        ({"input_tokens": True, "output_tokens": "4"}, Usage()),
        ({"input_tokens": None, "cache_read_input_tokens": 7}, use(cache_read=7)),
        ({"input_tokens": float("nan"), "output_tokens": float("inf")}, Usage()),
        ({"input_tokens": {"n": 1}}, Usage()),
        ([1, 2], Usage()),
        (None, Usage()),
        ("3", Usage()),
    ],
)
def test_figures_are_read_from_anything(raw: Any, usage: Usage) -> None:
    """Whole numbers alone are figures."""
    assert usage_of(raw, NAMES) == usage
