import re

import pytest

from subsessiond.core.scrub.names import (
    WORDS,
    is_secret_name,
    is_trivial,
    looks_secret,
    names_secret,
)


def ask(text: str, sep: str = "=", *, quoted: bool = False) -> bool:
    """Ask whether the name before the first separator is given a secret."""
    at = text.index(sep)
    word = [*re.compile(f"({WORDS})", re.IGNORECASE).finditer(text, 0, at)][-1]
    return names_secret(text, word, sep, at + len(sep), quoted=quoted)


@pytest.mark.parametrize(
    "text",
    [
        "API_KEY=a",
        "apiKey=a",
        "TOKEN=a",
        "token=a",
        "x_secret=a",
        "DBPASSWORD=a",
        "MYSQL_PWD=a",
        "ACCESSKEY=a",
        "key=abcdef123",
        "smtp.pass=a",
        "KEY=a",
        "HMAC_KEYS=abcdef123",
    ],
)
def test_names_that_say_secret(text: str) -> None:
    """A name says it by its last word, however its words are joined."""
    assert ask(text)


@pytest.mark.parametrize(
    "text",
    [
        "MONKEY=a",
        "key=lambda",
        "PWD=/home",
        "primary_key=id",
        "max_tokens=5",
        "password=",
        "keys=a1",
        *("API_KEY=None", "password=true)", "password= x", "bypass=5", "next_token=abcdefg12345"),
    ],
)
def test_names_that_do_not(text: str) -> None:
    """Other words that end alike, harmless compounds, and values that say that there is none."""
    assert not ask(text)


def test_a_sentence_is_no_pair() -> None:
    """After a colon, a short word alone needs quotes or a value that looks like a key."""
    assert not ask("unexpected token: }", ":")
    assert not ask("token: end of file", ":")
    assert ask("token:abcdef123", ":")
    assert ask("token:abc", ":", quoted=True)


def test_what_looks_secret() -> None:
    """Letters with digits, eight or more, without a blank."""
    assert looks_secret("abcdef12 and more", 0)
    assert not looks_secret("abcdefgh", 0)
    assert not looks_secret("12345678", 0)
    assert not looks_secret("abc 12345", 0)


def test_what_is_trivial() -> None:
    """Nothing, and the words for it; a word that only begins so is a value."""
    assert is_trivial("none", 0)
    assert is_trivial("", 0)
    assert not is_trivial("nonesuch", 0)


def test_names_of_variables() -> None:
    """A variable is secret by its last word."""
    assert is_secret_name("MY_API_KEY")
    assert is_secret_name("GH_TOKEN")
    assert not is_secret_name("HOME")
    assert not is_secret_name("MONKEY")
    assert not is_secret_name("TOKEN_FILE")
