import time

import pytest

from subsessiond.adapters.runners.summary import LOOK_CHARACTERS, MOST, summary_of


@pytest.mark.parametrize(
    ("printed", "found"),
    [
        ("===== 3 passed, 1 failed in 0.12s =====", "3 passed, 1 failed in 0.12s"),
        ("5 passed, 2 warnings in 61.02s (0:01:01)", "5 passed, 2 warnings in 61.02s (0:01:01)"),
        (
            "Ran 3 tests in 0.001s\n\nFAILED (failures=1)",
            "Ran 3 tests in 0.001s FAILED (failures=1)",
        ),
        ("Found 2 errors in 1 file (checked 3 source files)",) * 2,
        ("Success: no issues found in 3 source files",) * 2,
        ("All checks passed!",) * 2,
        ("Found 3 errors.",) * 2,
        ("test result: ok. 3 passed; 0 failed; 0 ignored",) * 2,
        ("# pass 4\n# fail 0", "# fail 0"),
        ("ok  \texample.com/m\t0.003s", "ok example.com/m 0.003s"),
        ("Tests: 4 passed, 1 failed, 2 skipped",) * 2,
    ],
)
def test_the_line_of_a_tool_is_found(printed: str, found: str) -> None:
    """The closing line of common tools is found among other lines."""
    assert summary_of(f"first line\n{printed}\nlast line\n") == found


def test_the_last_of_several_counts() -> None:
    """A tool that ran twice is told of by its last run."""
    assert summary_of("1 passed in 1s\n2 passed in 2s\n") == "2 passed in 2s"


def test_no_summary_is_none() -> None:
    """Text without such a line gives nothing; neither does a line too long to be one."""
    assert summary_of("") is None
    assert summary_of("hello\nworld") is None
    assert summary_of(f"test result: {'x' * MOST}") is None


@pytest.mark.parametrize(
    "printed",
    [
        "\n" * LOOK_CHARACTERS,
        "=" * LOOK_CHARACTERS,
        ("=" * (MOST - 1) + "\n") * 300,
        ("1 passed, " * 29 + "\n") * 300,
        ("1 passed in 1s" + "= " * 140 + "x\n") * 300,
        ("Ran 1 tests in 1s\n\n") * 4_000,
        "Ran 1 tests in 1s" + "\n" * LOOK_CHARACTERS,
        "1" * LOOK_CHARACTERS,
    ],
    ids=["newlines", "equals", "rows", "counts", "mixed", "ran", "gap", "digits"],
)
def test_no_output_makes_it_search_for_long(printed: str) -> None:
    """Output made to be slow to search is searched in well under a second."""
    began = time.process_time()
    summary_of(printed)
    assert time.process_time() - began < 0.5
