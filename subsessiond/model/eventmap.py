"""How a program that prints JSON lines says what: paths into one line, and what stands there."""

from subsessiond.model.base import Value

Match = tuple[tuple[str, str], ...]
"""Paths and what stands there: all paths have to fit, and of one path that is named more than once
any of its values. The value `*` fits whatever is there. No path at all fits no line.
"""


class EventMap(Value, frozen=True, kw_only=True):
    """Where a JSON-lines agent says what.

    A path is words joined by dots; of a list a word is the place (`0`, `-1`) or `*` for any item.
    """

    closing: Match = ()
    """What makes a line the closing event; none = it has no such."""
    text: tuple[str, ...] = ()
    """Where the closing event has its text, the first that is one; else the agent's last words."""
    structured: str = ""
    """Where the closing event has the data that an output schema asked for."""
    error: tuple[str, ...] = ()
    """What is there and neither false nor empty where the closing event is an error."""
    error_text: tuple[str, ...] = ()
    """Where a closing event that is an error, and a line that fails, has the words of it."""
    failing: Match = ()
    """What makes a line tell an error that need not be the end."""
    ends: tuple[tuple[str, Match], ...] = ()
    """Why a closing event came, as far as that is told: a word of `ENDS` and what says so."""
    session: str = ""
    """Where a line has the name by which a further run goes on with the same conversation."""
    turn_end: Match = ()
    """What makes a line the last of a turn, though it is not the closing event."""
    words: Match = ()
    """What makes a line hold words that the agent says."""
    words_text: str = ""
    """Where these are."""
    words_in_pieces: bool = False
    """Whether such lines, one after the other, are pieces of one text."""
    rate_limited: Match = ()
    """What makes a line say that its provider makes it wait."""
    tool_start: Match = ()
    """What makes a line the start of tool calls."""
    tool_start_id: str = ""
    """Where their ids are."""
    tool_end: Match = ()
    """What makes a line the end of tool calls."""
    tool_end_id: str = ""
    message_id: str = ""
    """Where a message has the id under which its usage is counted once."""
    usage: str = ""
    """Where the usage of one message is."""
    usage_without: tuple[str, ...] = ()
    """Figures (`input`, `cache_read`, `cache_write`, `output`) that are not true in it: agents that
    show a message while it streams tell of an output that has only begun.
    """
    total: str = ""
    """Where a running total is, which is not added."""
    summary: str = ""
    """Where the closing event sums up what its messages said before; only checks."""
    input: tuple[str, ...] = ()
    """Paths inside a usage that count as input; added up, or taken off after a `-`."""
    cache_read: tuple[str, ...] = ()
    cache_write: tuple[str, ...] = ()
    output: tuple[str, ...] = ()


FIGURES = ("input", "cache_read", "cache_write", "output")
"""What a usage tells."""

ENDS = ("turn-limit", "max-tokens", "refusal")
"""Why an agent stops although nothing broke."""
