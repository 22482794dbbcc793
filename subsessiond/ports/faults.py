"""What can go wrong outside, as the engine knows it."""


class StoreFault(Exception):
    """The store could not do what was asked; nothing of the batch is true.

    Attributes:
        fatal: This store cannot be trusted any more: the daemon ends, and its next start mends
            what can be mended. Otherwise the same batch may be tried again.
    """

    def __init__(self, message: str, *, fatal: bool = False) -> None:
        super().__init__(message)
        self.fatal = fatal


class RunnerFault(Exception):
    """One child cannot be run; says doing what, and why, in a person's words."""


class WorkspaceFault(Exception):
    """A workspace cannot be used; says which and why."""


class WorkspaceBusy(WorkspaceFault):
    """Nobody could look at a folder just now, which says nothing of the folder."""


class ConfigFault(Exception):
    """A configuration file cannot be used.

    Args:
        place: Which file, table and word.
        problem: What is wrong there.
    """

    def __init__(self, place: str, problem: str) -> None:
        super().__init__(f"{place}: {problem}")
        self.place = place
        self.problem = problem
