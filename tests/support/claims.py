"""Claims in bulk, for tests and benchmarks of the claim index."""

import time
from collections.abc import Callable

from subsessiond.core.scope import ClaimIndex, Pattern, parse_pattern


def ordinary(number: int) -> tuple[str, ...]:
    """Five patterns as projects have them, disjoint from those of other numbers."""
    return (
        f"src/mod{number}/**",
        f"src/lib{number}/*.py",
        f"docs/page{number}.md",
        f"tests/unit/mod{number}/test_*.py",
        f"web/{number % 50}/comp{number}/**/*.tsx",
    )


def alike_in_front(number: int) -> tuple[str, ...]:
    """Five patterns that no literal prefix tells from those of other numbers."""
    return tuple(f"src/*_{number}_{k}.py" for k in range(5))


def one_folder(number: int) -> tuple[str, ...]:
    """Five files of one folder that everybody shares."""
    return tuple(f"src/a{number}_{k}.py" for k in range(5))


def behind_a_star(number: int) -> tuple[str, ...]:
    """Five patterns told apart only behind a segment of magic."""
    return tuple(f"src/*/x{number}_{k}.py" for k in range(5))


def hostile(number: int) -> tuple[str, ...]:
    """Fifty patterns of a dozen stars each, with nothing literal at either end."""
    return tuple(f"src/*a*b*c*d*e*f*g*h*i*j*{number}*{k}*" for k in range(50))


def patterns(texts: tuple[str, ...]) -> tuple[Pattern, ...]:
    """Parse texts, all of which must be patterns."""
    found = tuple(parse_pattern(text) for text in texts)
    assert all(isinstance(one, Pattern) for one in found), found
    return tuple(one for one in found if isinstance(one, Pattern))


def index_of(texts_of: Callable[[int], tuple[str, ...]], count: int) -> ClaimIndex:
    """Claim the patterns of so many numbers for the owners `n0`, `n1` and so on."""
    index = ClaimIndex()
    for number in range(count):
        index = index.with_claim(f"n{number}", patterns(texts_of(number)))
    return index


def decision_times_ms(
    index: ClaimIndex, texts_of: Callable[[int], tuple[str, ...]], numbers: range
) -> list[float]:
    """Time one whole scope decision for the brief of each number; sorted, milliseconds."""
    times: list[float] = []
    for number in numbers:
        asked = patterns(texts_of(number))
        start = time.perf_counter()
        index.first_meeting_of(asked, frozenset())
        times.append((time.perf_counter() - start) * 1_000)
    return sorted(times)
