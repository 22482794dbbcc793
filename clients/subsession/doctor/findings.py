"""What was found: one line each, and what to do where something is missing."""

from dataclasses import dataclass
from enum import StrEnum


class State(StrEnum):
    """How something stands."""

    GOOD = "good"
    NOTE = "note"
    """Nothing is broken, and something could be had."""
    BAD = "bad"


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at."""

    what: str
    state: State
    said: str
    next: str = ""
    """What a person can do about it: a command where there is one."""

    def as_json(self) -> dict[str, str]:
        """Give it as a document."""
        found = {"what": self.what, "state": str(self.state), "said": self.said}
        return {**found, "next": self.next} if self.next else found
