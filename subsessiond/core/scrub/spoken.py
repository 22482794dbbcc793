"""Scrubbing what the outside says of a child, before it is decided on."""

from msgspec.structs import replace

from subsessiond.core.scrub.scrubber import Scrubber
from subsessiond.model.commands import Command, ConfirmGone, EndChild, FailStart


def scrubbed(command: Command, scrubber: Scrubber) -> Command:
    """Take secrets out of a command's words of the runtime; a child's own words are no part of it.

    Words come here whole: they are cut to their bounds afterwards, by who decides.
    """
    match command:
        case EndChild(diagnostic=diagnostic):
            return replace(
                command,
                output=scrubber.scrub(command.output),
                diagnostic=None if diagnostic is None else scrubber.scrub(diagnostic),
            )
        case FailStart():
            return replace(command, why=scrubber.scrub(command.why))
        case ConfirmGone(leftovers=leftovers) if leftovers:
            return replace(command, leftovers=tuple(scrubber.scrub(left) for left in leftovers))
        case _:
            return command
