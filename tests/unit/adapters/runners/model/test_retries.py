"""When a request is made again."""

import pytest

from subsessiond.adapters.runners.model.retries import (
    LAST_WAIT_MS,
    TRIES_MOST,
    WAIT_MOST_MS,
    is_limit,
    retry_after_ms,
    wait_ms,
)
from subsessiond.adapters.runners.model.speech import ModelFault


@pytest.mark.parametrize("status", [None, 408, 429, 500, 502, 503, 504, 529])
def test_what_passes_is_tried_again_ever_later_and_not_for_ever(status: int | None) -> None:
    """Each wait is twice the one before, up to a minute; the last failure stands."""
    fault = ModelFault("no", status=status)
    waits = [wait_ms(fault, tries) for tries in range(1, TRIES_MOST + 1)]
    assert waits == [1_000, 2_000, 4_000, 8_000, 16_000, None]
    assert wait_ms(fault, 5, 10_000) == LAST_WAIT_MS


@pytest.mark.parametrize("status", [400, 401, 403, 404, 413, 422, 501])
def test_what_is_wrong_with_the_request_stays_wrong(status: int) -> None:
    """It is not made again."""
    assert wait_ms(ModelFault("no", status=status), 1) is None


def test_the_time_that_was_asked_for_is_given() -> None:
    """Unless it is more than anybody waits."""
    assert wait_ms(ModelFault("no", status=429, retry_after_ms=7), 3) == 7
    assert wait_ms(ModelFault("no", status=429, retry_after_ms=WAIT_MOST_MS), 1) == WAIT_MOST_MS
    assert wait_ms(ModelFault("no", status=429, retry_after_ms=WAIT_MOST_MS + 1), 1) is None


@pytest.mark.parametrize(
    ("header", "ms"),
    [
        ("3", 3_000),
        ("0.25", 250),
        ("0", 0),
        ("-1", None),
        ("Wed, 21 Oct 2026 07:28:00 GMT", None),
        ("inf", None),
        ("nan", None),
        ("1e300", None),
        ("", None),
        (None, None),
    ],
)
def test_a_time_to_wait_is_a_number_of_seconds(header: str | None, ms: int | None) -> None:
    """Anything else says nothing."""
    assert retry_after_ms(header) == ms


def test_too_many_requests_are_a_limit_and_an_error_is_none() -> None:
    """Only in a limit does waiting count as life."""
    found = {s: is_limit(ModelFault("no", status=s)) for s in (429, 529, 500, None)}
    assert found == {429: True, 529: True, 500: False, None: False}
