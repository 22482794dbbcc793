"""The operator's passphrase: what is kept of it, and whether one that is given is it.

Kept is a line of salt, cost and key, by scrypt: whoever reads it has to guess, and each guess costs
about a tenth of a second and 32 MiB. So no passphrase is looked at on the event loop.
"""

import asyncio
import binascii
import hashlib
import hmac
import re
from base64 import b64decode, b64encode
from typing import Final, Self

from subsessiond.model.base import Value

COST: Final = 15
"""Two to this power is scrypt's n; the memory of one look is 128 * 8 bytes as many times."""

COST_LEAST: Final = 14
COST_MOST: Final = 17
BLOCK: Final = 8
LANES_MOST: Final = 4
SALT_BYTES: Final = 16
KEY_BYTES: Final = 32
LEAST_BYTES: Final = 8
MOST_BYTES: Final = 1_024

_SHAPE: Final = re.compile(
    r"\$scrypt\$ln=([0-9]{2}),r=8,p=([1-9])\$([A-Za-z0-9+/]{22})\$([A-Za-z0-9+/]{43})"
)
_SPARE: Final = 2 * 1024 * 1024


class Passphrase(Value, frozen=True, kw_only=True):
    """What is kept of a passphrase; the passphrase itself cannot be had from it."""

    cost: int
    lanes: int
    salt: bytes
    key: bytes

    @classmethod
    def parse(cls, line: str) -> Self:
        """Read the line that `subsessiond passphrase` prints.

        Raises:
            ValueError: it is not such a line; says nothing of what stands there.
        """
        found = _SHAPE.fullmatch(line)
        if found is None:
            raise ValueError("must be the line that `subsessiond passphrase` prints")
        cost, lanes = int(found[1]), int(found[2])
        if not COST_LEAST <= cost <= COST_MOST or lanes > LANES_MOST:
            bounds = f"ln from {COST_LEAST} to {COST_MOST} and p up to {LANES_MOST}"
            raise ValueError(f"has a cost that is not taken here: {bounds}")
        return cls(cost=cost, lanes=lanes, salt=_bytes(found[3]), key=_bytes(found[4]))

    @classmethod
    def make(cls, text: str, salt: bytes) -> Self:
        """Keep a passphrase; slow on purpose.

        Args:
            text: What the person typed.
            salt: `SALT_BYTES` bytes by chance, never used before.
        """
        return cls(cost=COST, lanes=1, salt=salt, key=_derive(text, salt, COST, 1))

    @property
    def line(self) -> str:
        """What belongs into the configuration."""
        head = f"$scrypt$ln={self.cost},r={BLOCK},p={self.lanes}"
        return f"{head}${_text(self.salt)}${_text(self.key)}"

    async def is_it(self, text: str) -> bool:
        """Tell whether this is the passphrase; it takes its time, in a thread."""
        return await asyncio.to_thread(self._is_it, text)

    def _is_it(self, text: str) -> bool:
        found = _derive(text, self.salt, self.cost, self.lanes)
        return hmac.compare_digest(found, self.key)


def _derive(text: str, salt: bytes, cost: int, lanes: int) -> bytes:
    n = 1 << cost
    return hashlib.scrypt(
        text.encode(),
        salt=salt,
        n=n,
        r=BLOCK,
        p=lanes,
        maxmem=128 * BLOCK * (n + lanes) + _SPARE,
        dklen=KEY_BYTES,
    )


def _text(data: bytes) -> str:
    return b64encode(data).decode("ascii").rstrip("=")


def _bytes(text: str) -> bytes:
    try:
        return b64decode(text + "=" * (-len(text) % 4), validate=True)
    except binascii.Error as error:  # the shape lets no other text through
        raise ValueError("holds a salt or key that is no base64") from error
