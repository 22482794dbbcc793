import pytest

from subsessiond.core.scrub.spans import joined, replaced_in_pieces
from subsessiond.core.scrub.urls import find_urls


def scrub(text: str) -> str:
    """Take the credentials out of a text."""
    return replaced_in_pieces((text,), joined(find_urls(text)))[0]


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("postgres://me:p@ss@db:5432/x", "postgres://me:[removed]@db:5432/x"),
        ("redis://:p/w@db/0", "redis://:[removed]@db/0"),
        ("https://me:12345@x/", "https://me:[removed]@x/"),
        ("https://abcdefghij1234567890@x/", "https://[removed]@x/"),
        ("x?api_key=a&model=b HTTP/1.1", "x?api_key=[removed]&model=b HTTP/1.1"),
        ("x?a=b&access_token=c", "x?a=b&access_token=[removed]"),
        ("x?X-Amz-Signature=a&sig=b", "x?X-Amz-Signature=[removed]&sig=[removed]"),
        ("x?accesstoken=c", "x?accesstoken=[removed]"),
        ("x#id_token=c", "x#id_token=[removed]"),
    ],
)
def test_secrets_of_an_address_go(text: str, left: str) -> None:
    """User, host and the names in a query stay."""
    assert scrub(text) == left


@pytest.mark.parametrize(
    "text",
    [
        "http://localhost:8080/a@b",
        "http://[::1]:80/x",
        "https://me@host/",
        "git@github.com:a/b",
        "x?page=2&monkey=3",
    ],
)
def test_plain_addresses_stay(text: str) -> None:
    """A port is no password, a short user no key."""
    assert scrub(text) == text
