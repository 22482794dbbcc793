"""Scrubbing what the outside says of a child, before it is decided on."""

from typing import Final

from msgspec.structs import replace

from subsessiond.core.scrub.scrubber import Scrubber
from subsessiond.model.commands import Command, ConfirmGone, EndChild, EndTurn, FailStart, NoteSign

OUTPUT_BYTES: Final = 24_000
"""The greatest report that a contract allows."""

WORDS_BYTES: Final = 8_192
"""More than is kept of a diagnostic, or of anything else."""


def scrubbed(command: Command, scrubber: Scrubber) -> Command:
    """Take secrets out of a command's words of the runtime; a child's own words are no part of it.

    Words come here whole: they are cut to their bounds afterwards, by who decides. What no bound
    ever keeps is not looked at: this runs where everybody waits for it.
    """
    match command:
        case EndChild():
            output = scrubber.tail(command.output, OUTPUT_BYTES)
            more = _scrub(command.diagnostic, scrubber)
            return replace(command, output=output, diagnostic=more)
        case FailStart():
            why = scrubber.head(command.why, WORDS_BYTES)
            more = _scrub(command.diagnostic, scrubber)
            return replace(command, why=why, diagnostic=more)
        case EndTurn(diagnostic=str(said)):
            return replace(command, diagnostic=_scrub(said, scrubber))
        case ConfirmGone(leftovers=leftovers) if leftovers:
            return replace(
                command, leftovers=tuple(scrubber.head(left, WORDS_BYTES) for left in leftovers)
            )
        case NoteSign():
            # Why also a sign: it may be the title of a tool call, which is a command line.
            return replace(command, sign=scrubber.head(command.sign, WORDS_BYTES))
        case _:
            return command


def _scrub(text: str | None, scrubber: Scrubber) -> str | None:
    return None if text is None else scrubber.head(text, WORDS_BYTES)
