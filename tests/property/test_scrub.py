"""Law: what a scrubber was given to take out is gone, whatever stands around it, in linear time."""

import base64
import time
from itertools import pairwise
from typing import Final

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from subsessiond.core.bounds import size_bytes
from subsessiond.core.scrub import MARK, Scrubber

VALUE: Final = "horse-battery staple"
SECRETS: Final = (
    VALUE,
    base64.b64encode(VALUE.encode()).decode(),
    "ghp_Ab3dEf6hIj9lMn2pQr5tUv8xYz1BcD4eFg7h",
    "sk-ant-api03-Ab3dEf6hIj9lMn2pQr5tUv8x",
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.Ab3dEf6hIj9lMn2p",
    "-----BEGIN PRIVATE KEY-----\nMIIEowIBAAKCAQEA75c1\n-----END PRIVATE KEY-----",
    "API_KEY=tr0ub4dor",
    "Authorization: Bearer tr0ub4dor",
    "https://me:tr0ub4dor@host/",
    "/x?api_key=tr0ub4dor",
    "curl -u me:tr0ub4dor https://host",
    "mysqldump -ptr0ub4dor x",
    "machine host login me password tr0ub4dor",
)
ANYWHERE: Final = 10
"""So many of them are secrets also in the middle of a word; a program has to stand by itself."""

KEPT: Final = ("tr0ub4dor", "MIIEow", "Ab3dEf6hIj9", "battery", "aG9yc2UtYm", "eyJzdWI")
"""No secret leaves one of these."""

PIECES: Final = (
    *("key", "token", "Bearer ", "://", "@", ":", "=", "&", "?", ";", ",", '"', "'", "\\", "\\n"),
    *("\n", " ", "a", "B7", "--", "password", "_", ".", "x" * 20, "A1b2" * 10, MARK, "é", "🙂"),
    *(
        "-----BEGIN PRIVATE KEY-----",
        "-----END PRIVATE KEY-----",
        "eyJabcdefgh",
        "sk-",
        "NAME_KEY=",
    ),
    *("authorization: ", "AKIAIOSFODNN7EXAMPLE", "cookie", "/", "PWD", "none"),
    *("curl -u ", "mysql -p", "-p ", "login a\n", "\n  ", "machine a ", "password b", ": |", ">"),
)
SCRUBBER: Final = Scrubber([VALUE])
texts = st.lists(st.sampled_from((*PIECES, *SECRETS[:ANYWHERE])), max_size=12).map("".join)


@given(texts)
@settings(max_examples=500)
def test_scrubbing_twice_is_scrubbing_once(text: str) -> None:
    """What has been scrubbed is not changed again."""
    once = SCRUBBER.scrub(text)
    assert SCRUBBER.scrub(once) == once


@given(st.sampled_from(SECRETS), texts.filter(lambda text: "\\" not in text))
def test_a_secret_between_blanks_is_gone(secret: str, around: str) -> None:
    """Whatever else a text holds, a secret on a line of its own leaves nothing that was secret."""
    left = SCRUBBER.scrub(f"{around}\n{secret}\n{around}")
    assert not any(kept in left.replace(around, "") for kept in KEPT if kept in secret)


@given(st.sampled_from(SECRETS), st.integers(0, 400), st.sampled_from(["a", "é", "€", "🙂"]))
@example(VALUE, 40, "🙂")
def test_no_half_of_a_secret_survives_a_cut(secret: str, limit: int, filler: str) -> None:
    """Heads and tails are valid, within their limit, and hold no part of the secret."""
    text = f"{filler * 30} {secret} {filler * 30}"
    for cut in (SCRUBBER.head(text, limit), SCRUBBER.tail(text, limit)):
        assert size_bytes(cut) <= limit
        assert not any(kept[:4] in cut for kept in KEPT)


@given(st.sampled_from(SECRETS), st.lists(st.integers(0, 60), max_size=4))
def test_chunks_do_not_matter(secret: str, cuts: list[int]) -> None:
    """A text in pieces loses what the whole loses, wherever it was split."""
    text = f"a\n{secret}\nb"
    edges = [0, *sorted(min(cut, len(text)) for cut in cuts), len(text)]
    pieces = tuple(text[a:b] for a, b in pairwise(edges))
    assert "".join(SCRUBBER.pieces(pieces)) == SCRUBBER.scrub(text)


HOSTILE: Final = (
    *("key=", "key:", '"key":', "token=&", "?key=", "&a_", "?", "://a:", "://", "a", " ", "\\"),
    *("eyJaaaaaa", "eyJaaaaaa.", "SG.aaaaaaaaaaaaaaaaaa.", "sk-", "sk-ant-", "authorization:"),
    *("-----BEGIN PRIVATE KEY-----", "-----END PRIVATE KEY-----\n", "-----BEGIN ", "API_KEY=x\n"),
    *("curl ", "curl -u a:b ", "mysql -pa ", "-p ", "login a\n", "machine a ", "key:\n  a\n"),
    *("password: |\n  a\n", "password:\n", "\n ", "A" * 19 + "\n", "-", "login a\npassword b\n"),
    *("Bearer a", "--token ", "cookie:", "AKIAAAAAAAAAAAAAAAAA ", "A" * 40 + "\n", "-a-", "🙂"),
)
SMALL: Final = 64 * 1024
FACTOR: Final = 16
SLACK: Final = 5
"""Linear is 1, quadratic is 16: what lies between is a busy machine."""


@pytest.mark.parametrize("unit", HOSTILE)
def test_a_mebibyte_of_anything_takes_linear_time(unit: str) -> None:
    """Sixteen times as much text takes about sixteen times as long, not its square."""
    small = unit * (SMALL // len(unit))
    least = min(_seconds(small) for _ in range(2))
    assert _seconds(small * FACTOR) < least * FACTOR * SLACK + 0.2


def _seconds(text: str) -> float:
    began = time.process_time()
    SCRUBBER.scrub(text)
    return time.process_time() - began
