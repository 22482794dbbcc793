import pytest

from subsessiond.core.scrub.headers import find_headers
from subsessiond.core.scrub.spans import joined, replaced_in_pieces


def scrub(text: str) -> str:
    """Take the credentials out of a text."""
    return replaced_in_pieces((text,), joined(find_headers(text)))[0]


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("Authorization: Bearer abc\nHost: x", "Authorization: Bearer [removed]\nHost: x"),
        ("proxy-authorization: Basic dXNlcg==", "proxy-authorization: Basic [removed]"),
        ("{'Authorization': 'abc', 'a': 1}", "{'Authorization': '[removed]', 'a': 1}"),
        ('-H "Authorization: token abc" -v', '-H "Authorization: token [removed]" -v'),
        ('Authorization: Digest u="a", r="b"\nx', "Authorization: Digest [removed]\nx"),
        ("authorization: abcdef123", "authorization: [removed]"),
        ("Set-Cookie: sid=abc; Path=/", "Set-Cookie: [removed]"),
        ("sent bearer abcdef12", "sent bearer [removed]"),
        ("sent Basic dXNlcjpwYXNz", "sent Basic [removed]"),
        ("Bearer " + "a" * 20, "Bearer [removed]"),
    ],
)
def test_credentials_go_and_schemes_stay(text: str, left: str) -> None:
    """One still sees what kind of credential it was, and what stands around it."""
    assert scrub(text) == left


@pytest.mark.parametrize(
    "text",
    [
        "authorization: denied by policy",
        "bearer authentication failed",
        "Basic authentication required",
        "cookie: none was sent",
    ],
)
def test_words_about_credentials_stay(text: str) -> None:
    """A sentence that names a header is none."""
    assert scrub(text) == text


def test_a_scrubbed_header_stays_scrubbed() -> None:
    """The mark is taken for what it stands for, and is replaced by itself."""
    assert scrub("Authorization: [removed] again") == "Authorization: [removed]"
