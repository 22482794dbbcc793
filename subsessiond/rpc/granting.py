"""Asks for the operator's passphrase where one is set, and bounds how often it can be guessed.

It comes after the rights: who may not grant anyway is not asked and costs nothing. What is given
is compared and forgotten; no command, event, journal or log ever holds it.
"""

from collections.abc import Awaitable, Callable
from typing import Final

from subsessiond.model.rejection import Code, Rejection
from subsessiond.rpc.refused import Refused

WRONG_MOST: Final = 5
"""Wrong ones at once, of the whole daemon: a person mistypes, a program guesses."""

FORGOTTEN_MS: Final = 30_000
"""Awake time after which one of them is forgotten: 120 guesses an hour, and no more."""

MISSING: Final = "operator.passphrase is set: give `passphrase`, as a person typed it"
WRONG: Final = "the passphrase is not the one that operator.passphrase stands for"
TOO_MANY: Final = "too many wrong passphrases; until then the right one is not looked at either"


class Granting:
    """Guards what grants something."""

    def __init__(
        self,
        is_it: Callable[[str], Awaitable[bool]] | None = None,
        awake_ms: Callable[[], int] = lambda: 0,
    ) -> None:
        """Get ready.

        Args:
            is_it: Tells whether a text is the passphrase; none where none is set.
            awake_ms: The awake clock.
        """
        self._is_it = is_it
        self._awake_ms = awake_ms
        self._clear_at = 0
        """Awake clock at which the last wrong one will be forgotten."""

    @property
    def is_asked(self) -> bool:
        """Whether a passphrase is set."""
        return self._is_it is not None

    async def check(self, given: str | None) -> None:
        """Let a granting call go on.

        Args:
            given: The passphrase that came with it.

        Raises:
            Refused: NOT_ALLOWED - it is missing or wrong; BUSY - too many were wrong.
        """
        if self._is_it is None:
            return
        if given is None:
            raise _refused(MISSING)
        self._take_one()
        # Why counted before: many that come at once are as many guesses.
        if not await self._is_it(given):
            raise _refused(WRONG)
        self._clear_at -= FORGOTTEN_MS

    def _take_one(self) -> None:
        now = self._awake_ms()
        over = self._clear_at - now - (WRONG_MOST - 1) * FORGOTTEN_MS
        if over > 0:
            raise Refused(
                Rejection(
                    code=Code.BUSY,
                    step="passphrase",
                    detail=TOO_MANY,
                    limit=WRONG_MOST,
                    retry_after_ms=over,
                )
            )
        self._clear_at = max(self._clear_at, now) + FORGOTTEN_MS


def _refused(detail: str) -> Refused:
    return Refused(Rejection(code=Code.NOT_ALLOWED, step="passphrase", detail=detail))
