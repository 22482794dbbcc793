"""Scrubbing what the outside says of a child, before it is decided on."""

from msgspec.structs import replace

from subsessiond.core.scrub.scrubber import Scrubber
from subsessiond.model.commands import Command, ConfirmGone, EndChild, EndTurn, FailStart, NoteSign


def scrubbed(command: Command, scrubber: Scrubber) -> Command:
    """Take secrets out of a command's words of the runtime; a child's own words are no part of it.

    Words come here whole: they are cut to their bounds afterwards, by who decides.
    """
    match command:
        case EndChild():
            output, more = scrubber.scrub(command.output), _scrub(command.diagnostic, scrubber)
            return replace(command, output=output, diagnostic=more)
        case FailStart():
            why, more = scrubber.scrub(command.why), _scrub(command.diagnostic, scrubber)
            return replace(command, why=why, diagnostic=more)
        case EndTurn(diagnostic=str(said)):
            return replace(command, diagnostic=scrubber.scrub(said))
        case ConfirmGone(leftovers=leftovers) if leftovers:
            return replace(command, leftovers=tuple(scrubber.scrub(left) for left in leftovers))
        case NoteSign():
            # Why also a sign: it may be the title of a tool call, which is a command line.
            return replace(command, sign=scrubber.scrub(command.sign))
        case _:
            return command


def _scrub(text: str | None, scrubber: Scrubber) -> str | None:
    return None if text is None else scrubber.scrub(text)
