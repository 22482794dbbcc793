"""The gate before grants: asked for, compared, bounded."""

import asyncio

import pytest

from subsessiond.model.rejection import Code, Rejection
from subsessiond.rpc.granting import FORGOTTEN_MS, WRONG_MOST, Granting
from subsessiond.rpc.refused import Refused


class Gate:
    """A gate whose passphrase is `right`, and its clock."""

    def __init__(self) -> None:
        self.now = 10_000_000
        self.looked: list[str] = []
        self.granting = Granting(self._is_it, lambda: self.now)

    async def _is_it(self, given: str) -> bool:
        self.looked.append(given)
        await asyncio.sleep(0)
        return given == "right"

    async def refusal(self, given: str | None) -> Rejection:
        """Give the refusal of a passphrase."""
        with pytest.raises(Refused) as caught:
            await self.granting.check(given)
        return caught.value.rejection


async def test_where_none_is_set_nothing_is_asked() -> None:
    """Without a passphrase the gate is open, whatever is given."""
    assert not Granting().is_asked
    await Granting().check(None)
    await Granting().check("anything")


async def test_it_has_to_be_given_and_right() -> None:
    """A missing one costs nothing and says what to do; a wrong one is refused and not repeated."""
    gate = Gate()
    missing = await gate.refusal(None)
    assert (missing.code, missing.step) == (Code.NOT_ALLOWED, "passphrase")
    assert "give `passphrase`" in missing.message
    assert gate.looked == []
    wrong = await gate.refusal("s3cret")
    assert (wrong.code, wrong.step) == (Code.NOT_ALLOWED, "passphrase")
    assert "s3cret" not in repr(wrong)
    await gate.granting.check("right")


async def test_guessing_is_bounded_for_the_whole_daemon() -> None:
    """After five wrong ones none is looked at; one is forgotten every half minute of awake time."""
    gate = Gate()
    for _ in range(WRONG_MOST):
        await gate.refusal("wrong")
    for given in ("wrong", "right"):
        refused = await gate.refusal(given)
        assert (refused.code, refused.limit) == (Code.BUSY, WRONG_MOST)
        assert refused.retry_after_ms == FORGOTTEN_MS
    assert len(gate.looked) == WRONG_MOST
    gate.now += FORGOTTEN_MS
    await gate.granting.check("right")
    await gate.granting.check("right")
    await gate.refusal("wrong")
    assert (await gate.refusal("right")).code is Code.BUSY


async def test_many_at_once_are_as_many_guesses() -> None:
    """Those that come while others are being looked at count already."""
    gate = Gate()
    await asyncio.gather(*(gate.refusal(f"guess {n}") for n in range(50)))
    assert len(gate.looked) == WRONG_MOST


async def test_right_ones_are_never_too_many() -> None:
    """A person may grant as often as she likes."""
    gate = Gate()
    for _ in range(3 * WRONG_MOST):
        await gate.granting.check("right")
