"""The words behind `subsession mcp`, read without the parser of all verbs, which takes as long as
all the rest of a start.
"""

from collections.abc import Sequence
from typing import NamedTuple

OPTIONS = ("--workspace", "--resume", "--socket", "--state-dir")


class Words(NamedTuple):
    """What was asked for; each as it was typed."""

    workspace: str | None = None
    resume: str | None = None
    socket: str | None = None
    state_dir: str | None = None


def read_words(given: Sequence[str]) -> Words | None:
    """Give what was asked for; none where the parser of all verbs has to say something."""
    found, rest = dict[str, str](), list(given)
    while rest:
        name, equals, value = rest.pop(0).partition("=")
        if name not in OPTIONS or not (equals or rest):
            return None
        found[name] = value if equals else rest.pop(0)
    return Words(*(found.get(name) for name in OPTIONS))
