import pytest

from subsessiond.core.scope import (
    Meeting,
    Pattern,
    covers,
    includes,
    intersect,
    nearest,
    parse_pattern,
)


def pattern(text: str) -> Pattern:
    """Parse what must be a pattern."""
    found = parse_pattern(text)
    assert isinstance(found, Pattern), found
    return found


COVERED = [
    ("src/app", "src/app", True),
    ("src/app", "src/app/deep/x.py", True),
    ("src/app", "src/apple", False),
    ("src/app/", "src/app", True),
    ("src/app/**", "src/app", True),
    ("src/*", "src/app/x.py", True),
    ("src/*", "src", False),
    ("*", ".hidden", True),
    ("?x", ".x", True),
    ("*.py", "a.py", True),
    ("*.py", ".py", True),
    ("*.py", "a.py/b", False),
    ("*.py/", "a.py/b", True),
    ("a.py", "a.py/b", True),
    ("*.", "a./b", True),
    ("v*.x*", "v1.x2/b", True),
    ("**/x", "x", True),
    ("**/x", "a/b/x/c", True),
    ("a/**/b", "a/b", True),
    ("a/**/b", "a/x/y/b", True),
    ("a/**/b", "a/x/y", False),
    ("[a-c]?[!d]", "bxe", True),
    ("[a-c]?[!d]", "bxd", False),
    ("a\\*", "a*", True),
    ("a\\*", "ab", False),
    ("*a*b", "xaxb", True),
    ("*a*b", "xbxa", False),
    ("a*a", "a", False),
    ("**", "anything/at/all", True),
    ("{a,b}/*.md", "b/x.md", True),
]


@pytest.mark.parametrize(("text", "path", "covered"), COVERED)
def test_a_pattern_covers_its_matches_and_what_lies_under_them(
    text: str, path: str, covered: bool
) -> None:
    """Hidden files match, folders come with their content, `*.py` alone names files."""
    assert covers(pattern(text), path) is covered


MEETINGS = [
    ("a*/x", "*b/x", "ab/x"),
    ("src/**", "src/a/b.py", "src/a/b.py"),
    ("**/*.md", "docs/**", "docs/x.md"),
    ("src/*.py", "src/sub/*.py", None),
    ("{a,b}/**", "b/c", "b/c"),
    ("[a-c]x", "[!a]x", "bx"),
    ("foo", "foo/**", "foo"),
    ("?", "*", "a"),
    (".hidden", "*", ".hidden"),
    ("a\\*b", "a*b", "a*b"),
    ("a\\*b", "acb", None),
    ("src/app/*", "src/app/", "src/app/x"),
    ("src/**/*.py", "src/**/*.ts", None),
    ("src/**/*.py", "**/test_*", "src/test_.py"),
    ("**/a/**/b", "**/b/**/a", "a/b/a"),
    ("**", "**", "x"),
    ("*a*", "*b*", "ab"),
    ("?*.", ".*", ".x."),
    (".*", "*.", ".x."),
    (".?", "?.*", None),
    ("[ab]*[cd]", "?[xy]", None),
    ("[a-f]", "[!g-z]", "a"),
    ("[0-9!]", "[!a-z]", "0"),
    ("[\x01 .]", "?", "\x01"),
    ("[!.]", "[.x]", "x"),
    ("[ .]", "[.\x02]", None),
    ("[.a][.b]", "[.a][.c]", "a."),
    ("x/[.a]", "x/[.b]", None),
    ("a", "b", None),
    ("a/b", "a/c", None),
    ("*", "a/b/c", "a/b/c"),
]


@pytest.mark.scenario("S33")
@pytest.mark.parametrize(("left", "right", "witness"), MEETINGS)
def test_two_patterns_meet_exactly_where_they_share_a_path(
    left: str, right: str, witness: str | None
) -> None:
    """The answer is the same both ways, and a witness is a path that both cover."""
    for one, other in ((left, right), (right, left)):
        meeting = intersect(pattern(one), pattern(other))
        if witness is None:
            assert meeting is None
        else:
            assert meeting is not None
            assert not meeting.conservative
            assert covers(pattern(left), meeting.witness or "")
            assert covers(pattern(right), meeting.witness or "")
            assert meeting.witness == witness or one == right


HOSTILE = [
    ("*a" * 20 + "*x*", "*b" * 20 + "*y*"),
    ("*" + "a*" * 20, "*" + "b*" * 20),
    ("*a" * 250 + "*", "*b" * 250 + "*"),
    ("?" * 500 + "*z?", "*" + "?" * 499 + "y?"),
    ("*[a-z]" * 80 + "*", "*[0-9]" * 80 + "*"),
    ("/".join(["**/a"] * 100) + "/*.q", "/".join(["**/b"] * 100) + "/*.q"),
    ("{a,b}" * 6 + "*a*b" * 20 + "*", "{c,b}" * 6 + "*c*d" * 20 + "*"),
    ("a/" * 255 + "a", "**/" + "?/" * 200 + "b"),
]


@pytest.mark.scenario("S33")
@pytest.mark.parametrize(("left", "right"), HOSTILE)
def test_a_hostile_pair_is_answered_within_the_step_budget(left: str, right: str) -> None:
    """Patterns built to explode meet, known or assumed, and none is held to include the other."""
    meeting = intersect(pattern(left), pattern(right))
    assert meeting is not None
    assert meeting.conservative is (meeting.witness is None)
    assert intersect(pattern(left), pattern(right), step_budget=3) == Meeting(None, True)
    assert not includes(pattern(left), pattern(right))
    assert not includes(pattern(left), pattern(right), step_budget=3)
    assert not covers(pattern(left), "é" * 127)


def test_a_path_is_not_covered_by_a_pattern_it_takes_too_long_to_match() -> None:
    """Past its steps a pattern covers nothing, so that whoever wrote it gains nothing by it."""
    explosive = pattern("{?,a}" * 6 + "?*" * 180)
    assert not covers(explosive, "a" * 254)
    assert covers(pattern("?*" * 180), "a" * 254)


INCLUSIONS = [
    ("src/**", "src/app/*.py", True),
    ("src/**", "src", True),
    ("src", "src/**", True),
    ("src/*", "src/app/x.py", True),
    ("*.py", "a.py", True),
    ("*.py", "a*.py", True),
    ("*.py", "*.pyc", False),
    ("src/*.py", "src/**/*.py", False),
    ("src/**/*.py", "src/*.py", True),
    ("src/**/*.py", "src/a/**/*.py", True),
    ("**", "*", True),
    ("*", "**", True),
    ("**/*", "**", True),
    ("*/**/x", "**/*/x", True),
    ("**/*/x", "*/**/x", True),
    ("a/**", "**", False),
    ("{a,b}/**", "{b,a}/c", True),
    ("{a,b}", "[ab]", False),
    ("[a-c]*", "[ab]x*", True),
    ("[a-c]*", "[a-d]x*", False),
    ("[a-c]*", "b*", True),
    ("?", "*", False),
    ("*", "?", True),
    ("a*b*c", "a*b?c", True),
    ("a*b*c", "a*c", False),
    ("a", "b", False),
    ("a?", "a[xy]", True),
    ("ab", "a*", False),
    ("a*a", "a", False),
    ("[ab]x", "*x", False),
    ("a?c", "*c", False),
]


@pytest.mark.parametrize(("outer", "inner", "included"), INCLUSIONS)
def test_a_pattern_includes_another_only_if_it_holds_all_its_paths(
    outer: str, inner: str, included: bool
) -> None:
    """What a parent may lend lies wholly inside what it owns."""
    assert includes(pattern(outer), pattern(inner)) is included


@pytest.mark.parametrize(
    ("outers", "inner", "named"),
    [
        (("docs/**", "src/app/*.py", "src/**/*.md"), "src/app/*.ts", "src/app/*.py"),
        (("docs/**", "src/app/*.py", "**/*.ts"), "src/app/x.ts", "**/*.ts"),
        (("docs/**", "tests/**"), "src/x", "docs/**"),
    ],
)
def test_the_nearest_pattern_meets_or_shares_the_longest_prefix(
    outers: tuple[str, ...], inner: str, named: str
) -> None:
    """A refusal names the candidate that comes closest, the first one of equals."""
    assert nearest(tuple(pattern(one) for one in outers), pattern(inner)) == pattern(named)


def test_a_pattern_of_many_alternatives_includes_itself() -> None:
    """What is lent whole costs no steps, however long the search for a part would take."""
    many = pattern("*/{a,b}{a,b}/{a,b}{a,b}{a,b}{a,b}")
    assert includes(many, many, step_budget=0)


def test_of_no_pattern_none_is_nearest() -> None:
    """A parent that owns nothing has no candidate to name."""
    assert nearest((), pattern("a")) is None
