import base64

import pytest

from subsessiond.core.bounds import size_bytes
from subsessiond.core.scrub import scrubber
from subsessiond.core.scrub.scrubber import GUARD, Scrubber

VALUE = "horse-battery staple"
TOKEN = "ghp_" + "Ab3dEf6hIj9lMn2pQr5tUv8xYz1BcD4eFg7h"
SCRUBBER = Scrubber([VALUE, "short"])


def test_the_rest_of_a_text_stays_readable() -> None:
    """Every rule takes its own, and nothing else goes."""
    text = f"push to https://me:pw@host failed: {TOKEN} and {VALUE}, API_KEY=abc.\nDone."
    left = "push to https://me:[removed]@host failed: [removed] and [removed], API_KEY=[removed]\n"
    assert SCRUBBER.scrub(text) == f"{left}Done."


def test_a_scrubber_tells_nothing_of_its_values() -> None:
    """Neither a value nor a part of it stands in what is printed of it."""
    assert VALUE[:5] not in repr(SCRUBBER)
    assert base64.b64encode(VALUE.encode()).decode()[:8] not in repr(SCRUBBER)


def test_pieces_are_scrubbed_as_a_whole() -> None:
    """A key that was read in two chunks is found all the same."""
    assert SCRUBBER.pieces((f"a {TOKEN[:7]}", f"{TOKEN[7:]} b")) == ("a [removed]", " b")


def test_a_head_is_scrubbed_before_it_is_cut() -> None:
    """A key across the limit leaves none of its characters."""
    for limit in range(len(TOKEN) + 4):
        assert "ghp" not in SCRUBBER.head(f"a {TOKEN} b", limit)


def test_a_long_text_is_not_read_whole_for_its_head() -> None:
    """However much of its front is taken out, nothing of a secret comes from where it was cut."""
    text = f"API_KEY={VALUE}\n" * 5_000
    for more in range(len(VALUE)):
        head = SCRUBBER.head("." * more + text, 100_000)
        assert "horse" not in head
        assert "stap" not in head
    assert size_bytes(SCRUBBER.head("é" * 1_000_000, 101)) <= 101


@pytest.mark.parametrize("secret", [TOKEN, VALUE, base64.b64encode(VALUE.encode()).decode()])
@pytest.mark.parametrize("between", [" ", "\n", "x\n"])
def test_a_tail_that_begins_inside_of_a_secret_keeps_none_of_it(secret: str, between: str) -> None:
    """Wherever a stored tail begins, no character of the secret it begins in is kept."""
    after = "".join(f"line {n}\n" for n in range(20))
    for cut in range(1, len(secret)):
        left = SCRUBBER.tail(f"{secret[cut:]}{between}{after}", 4_096, begun=True)
        assert left.endswith("line 18\nline 19\n")
        assert after.endswith(left)


def test_a_tail_that_begins_inside_of_a_key_block_keeps_none_of_it() -> None:
    """Its remaining lines go, with its end and also without one."""
    line = "MIIEowIBAAKCAQEA75c1" * 3
    block = f"{line}\n{line}\nab=\n-----END PRIVATE KEY-----\n"
    for cut in range(len(line) + 5):
        assert SCRUBBER.tail(f"{block[cut:]}rest of it", 99, begun=True) == "[removed]\nrest of it"
        left = SCRUBBER.tail(f"{line[cut % len(line) :]}\n{line}\nrest of it", 99, begun=True)
        assert left == "rest of it"


def test_one_long_line_without_a_blank_loses_a_length_no_key_has() -> None:
    """A tail without any break still keeps what surely is no part of a key."""
    assert SCRUBBER.tail("x" * (GUARD + 10), 4_096, begun=True) == "x" * 10


def test_base64_is_no_key_for_ever() -> None:
    """Of a program that prints nothing but base64, the last lines are shown."""
    lines = "QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVo=\n" * 2_000
    assert SCRUBBER.tail(lines, 400, begun=True) == lines[-400:]


def test_a_long_text_is_not_read_whole_for_its_tail() -> None:
    """Of a text far longer than asked for, what lies far before its tail costs nothing."""
    text = f"{VALUE}\n" * 9_000
    assert set(SCRUBBER.tail(text, 100).splitlines()) <= {"[removed]", "removed]", ""}
    assert size_bytes(SCRUBBER.tail("é" * 100_000, 101)) == 100


def test_it_looks_again_and_not_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a mark brought together is looked at once more; there is a most to it."""
    block = "-----BEGIN PRIVATE KEY-----\nMIIEowIBAAKCAQEA75c1\n-----END PRIVATE KEY-----"
    text = f"x API_KEY=tr0ub4dor{block}key"
    assert SCRUBBER.scrub(text) == "x API_KEY=[removed]"
    monkeypatch.setattr(scrubber, "_PASSES", 1)
    assert SCRUBBER.scrub(text) == "x API_KEY=[removed]key"
