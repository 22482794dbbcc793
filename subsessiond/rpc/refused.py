"""What ends a call at the edge, before any command was made."""

from typing import Final

from subsessiond.model.brief import FieldFault
from subsessiond.model.rejection import Code, Rejection


class Refused(Exception):
    """Raised by a method or by the caller's identification; dispatch answers it as data.

    Why an exception for a value: below the edge a refusal is returned; here it ends a call that
    may be several functions deep, and dispatch is the one place that turns it into a reply.
    """

    def __init__(self, rejection: Rejection) -> None:
        super().__init__(rejection.message)
        self.rejection = rejection


class Malformed(Exception):
    """Raised by a method that finds a field bad by looking at more than the fields.

    Answered as any field that cannot be taken: the caller may do this, but not with that.

    Args:
        path: Name of the field.
        problem: What is wrong with it; never holds what stood there.
    """

    def __init__(self, path: str, problem: str) -> None:
        super().__init__(f"{path}: {problem}")
        self.faults = (FieldFault(path=path, problem=problem),)


FOLDER_RETRY_MS: Final = 1_000
"""When a folder that nobody could look at may be tried again."""


def not_in_time() -> Refused:
    """Refuse for a folder that could not be looked at in time: it says nothing of the call."""
    detail = "the folder could not be looked at in time"
    return Refused(
        Rejection(code=Code.BUSY, step="workspace", detail=detail, retry_after_ms=FOLDER_RETRY_MS)
    )
