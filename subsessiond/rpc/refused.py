"""A refusal found at the edge, before any command was made."""

from subsessiond.model.rejection import Rejection


class Refused(Exception):
    """Raised by a method or by the caller's identification; dispatch answers it as data.

    Why an exception for a value: below the edge a refusal is returned; here it ends a call that
    may be several functions deep, and dispatch is the one place that turns it into a reply.
    """

    def __init__(self, rejection: Rejection) -> None:
        super().__init__(rejection.message)
        self.rejection = rejection
