"""What is kept of a passphrase."""

import asyncio
import hashlib

import pytest

from subsessiond.adapters.passphrase import Passphrase

SALT = b"sixteen bytes ok"
GOOD = f"$scrypt$ln=15,r=8,p=1${'A' * 22}${'A' * 43}"


async def test_the_passphrase_is_known_again_and_no_other() -> None:
    """Only the very same text is it; nothing of it stands in the line that is kept."""
    made = Passphrase.make("correct horse ß", SALT)
    assert Passphrase.parse(made.line) == made
    assert await made.is_it("correct horse ß")
    for other in ("correct horse s", "correct horse ß ", "", "x" * 1_024):
        assert not await made.is_it(other)
    assert "horse" not in made.line


def test_the_key_is_scrypts() -> None:
    """The line can be checked with any other scrypt, by the cost it names."""
    made = Passphrase.make("correct horse", SALT)
    key = hashlib.scrypt(b"correct horse", salt=SALT, n=2**15, r=8, p=1, maxmem=2**26, dklen=32)
    assert (made.cost, made.lanes, made.key) == (15, 1, key)


def test_one_passphrase_has_another_line_with_every_salt() -> None:
    """Two daemons with one passphrase do not show that it is one."""
    made = [Passphrase.make("correct horse", salt * 16) for salt in (b"a", b"b")]
    assert made[0].key != made[1].key


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("correct horse", "the line that `subsessiond passphrase` prints"),
        (GOOD + "=", "the line that"),
        (GOOD[:-1], "the line that"),
        (GOOD.replace("r=8", "r=9"), "the line that"),
        (GOOD.replace("scrypt", "argon2id"), "the line that"),
        (GOOD.replace("ln=15", "ln=13"), "a cost that is not taken here"),
        (GOOD.replace("ln=15", "ln=18"), "a cost that is not taken here"),
        (GOOD.replace("p=1", "p=5"), "a cost that is not taken here"),
    ],
)
def test_a_line_that_is_none_is_refused_without_being_shown(line: str, words: str) -> None:
    """A passphrase that was put there as it is does not appear in what is said of it."""
    assert Passphrase.parse(GOOD).salt == bytes(16)
    with pytest.raises(ValueError, match=words) as caught:
        Passphrase.parse(line)
    assert line not in str(caught.value)


async def test_others_are_served_while_one_is_looked_at() -> None:
    """It is slow on purpose, and the loop turns on meanwhile."""
    looking = asyncio.create_task(Passphrase.parse(GOOD).is_it("correct horse"))
    turns = 0
    while not looking.done():
        await asyncio.sleep(0)
        turns += 1
    assert not await looking
    assert turns > 100  # one that is looked at on the loop leaves it two or three
