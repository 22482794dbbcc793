"""The step budget: what keeps a hostile pattern from holding up the one thread that decides.

A step is one state of a search looked at, about a microsecond; counted and never timed, so that
the same question has the same answer on every machine.
"""

from typing import Final

PAIR_STEPS: Final = 15_000
"""For one pair of patterns: 30 to 60 ms where a step is slow. Two patterns of twenty stars in one
name need less than 2,000."""

BRIEF_STEPS: Final = 20_000
"""For one brief against a whole index. The ordinary brief needs a few dozen; one that looks at
every claim of a workspace, as `**/*.md` does, sees 20,000 of them one by one."""

COVER_STEPS: Final = 200_000
"""For one path against one pattern, which is asked before a file is written."""


class StepsSpentError(Exception):
    """The budget is used up before the answer is known; never leaves the package."""


class Meter:
    """Counts the steps of one question down."""

    __slots__ = ("left",)

    def __init__(self, budget: int) -> None:
        """Start with a budget of that many steps."""
        self.left = budget

    @property
    def is_spent(self) -> bool:
        """Say whether more steps were asked for than there were."""
        return self.left < 0

    def spend(self, steps: int = 1) -> None:
        """Take steps off the budget.

        Raises:
            StepsSpentError: the budget does not hold them; answer conservatively.
        """
        self.left -= steps
        if self.left < 0:
            raise StepsSpentError
