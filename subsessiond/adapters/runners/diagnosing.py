"""What an operator is told of an agent that went wrong: scrubbed, and then cut to fit."""

from typing import Final

from subsessiond.adapters.runners.plain import readable
from subsessiond.ports import Process, Scrubs

DIAGNOSTIC_BYTES: Final = 4_096

ERRORS_BYTES: Final = 64 * 1024
"""How much of the errors is looked through for what is no secret, to fill a diagnostic."""

WORDS_BYTES: Final = 1_024
"""Of a diagnostic: the runner's own words."""


def diagnostic_of(
    scrubber: Scrubs, process: Process | None, words: str, dropped: int, sample: str
) -> str:
    """Make the operator's text: what the runner says, some noise, the end of the errors.

    Args:
        scrubber: takes secrets out.
        process: whose errors these are; none where it is gone.
        words: of the runner.
        dropped: how many lines were too long to be read.
        sample: of what it printed that was no line of its protocol.
    """
    head = [scrubber.head(words, WORDS_BYTES)] if words else []
    if dropped:
        head.append(f"lines that were too long and not read: {dropped}")
    if sample:
        head.append(f"no protocol: {scrubber.head(sample, WORDS_BYTES)}")
    room = DIAGNOSTIC_BYTES - len("\n".join(head).encode()) - len("\nstderr: ")
    tail = _errors(scrubber, process, max(0, room))
    return "\n".join([*head, f"stderr: {tail}"] if tail else head)


def _errors(scrubber: Scrubs, process: Process | None, room: int) -> str:
    """Give the end of its errors, scrubbed before it is cut."""
    if process is None:
        return ""
    kept = process.stderr_tail(ERRORS_BYTES)
    begun = process.stderr_bytes > len(kept)
    return scrubber.tail(readable(kept).strip(), room, begun=begun)
