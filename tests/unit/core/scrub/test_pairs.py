import pytest

from subsessiond.core.scrub.pairs import end_of_value, find_pairs
from subsessiond.core.scrub.spans import joined, replaced_in_pieces


def scrub(text: str) -> str:
    """Take the values out of a text."""
    return replaced_in_pieces((text,), joined(find_pairs(text)))[0]


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("an API_KEY=abc here", "an API_KEY=[removed] here"),
        ('{"apiKey": "a b", "n": 1}', '{"apiKey": "[removed]", "n": 1}'),
        ("{'token': 'it\\'s', 'n': 1}", "{'token': '[removed]', 'n': 1}"),
        ('\\"secret\\":\\"a\\\\b\\",\\"n\\":1', '\\"secret\\":\\"[removed]\\",\\"n\\":1'),
        ("os.environ['X_KEY'] = 'abc'", "os.environ['X_KEY'] = '[removed]'"),
        ("secret => abc;", "secret => [removed];"),
        ("--api-key abc -v", "--api-key [removed] -v"),
        ("--token 'a b' -v", "--token '[removed]' -v"),
        ("--password=abc -v", "--password=[removed] -v"),
        ("token=a&b=1&c", "token=[removed]&b=1&c"),
        ("x;Password=a&b,c;Uid=sa", "x;Password=[removed];Uid=sa"),
        ("password=abc, again", "password=[removed], again"),
        ("key: token=abc", "key: token=[removed]"),
        ("AWS_SECRET_ACCESS_KEY_ID : abc", "AWS_SECRET_ACCESS_KEY_ID : [removed]"),
        ("a TOKEN_2=a\\nb", "a TOKEN_2=[removed]\\nb"),
    ],
)
def test_values_go_and_names_stay(text: str, left: str) -> None:
    """Only the value is taken, by the quotes or the end that its own notation gives it."""
    assert scrub(text) == left


@pytest.mark.parametrize(
    "text",
    [
        "sorted(x, key=len)",
        "unexpected token: }",
        "--token --verbose",
        "HOME=/root",
        "KeyError: 'a'",
        "MONKEY=banana",
        '--password "" -v',
    ],
)
def test_what_is_no_secret_stays(text: str) -> None:
    """Code and prose that only use the words are left alone."""
    assert scrub(text) == text


def test_a_line_of_an_environment_goes_to_its_end() -> None:
    """A value of several words is one value in a dump of the environment."""
    dump = "HOME=/root\nexport DB_PASSWORD=a b,c&d=e\r\nMY_TOKEN='x' y\nLANG=C"
    left = "HOME=/root\nexport DB_PASSWORD=[removed]\r\nMY_TOKEN=[removed]\nLANG=C"
    assert scrub(dump) == left


@pytest.mark.parametrize(
    ("text", "quote", "value"),
    [
        ('a\\"b"c', '"', 'a\\"b'),
        ("a'b", "'", "a"),
        ('a\\b\\"c', '\\"', "a\\b"),
        ("a\nb", '"', "a"),
        ("a\\", '"', "a"),
        ("a,b c", None, "a,b"),
        ("", None, ""),
    ],
)
def test_a_value_ends_with_its_quote(text: str, quote: str | None, value: str) -> None:
    """An escaped quote is part of a value, a line break never is; none is missed at the end."""
    assert text[: end_of_value(text, 0, quote)] == value
