import pytest

from subsessiond.core.scope import Pattern, PatternFault, expand, parse_pattern

ALTERNATIVES = {
    "a": ("a",),
    "{a,b}/c": ("a/c", "b/c"),
    "{a,{b,c}d}": ("a", "bd", "cd"),
    "{a,b}{c,d}": ("ac", "ad", "bc", "bd"),
    "a{,.py}": ("a", "a.py"),
    "a{,/b}": ("a", "a/b"),
    "a/{,b/}c": ("a/c", "a/b/c"),
    "{a/b,c}/../d": ("a/d", "d"),
    "{a,a}": ("a",),
    "{.,a}": ("**", "a"),
    "{**,x}y": ("*y", "xy"),
    "{*,}{*,b}": ("*", "*b", "b"),
}


@pytest.mark.parametrize("text", ALTERNATIVES)
def test_braces_are_taken_apart_into_normal_patterns(text: str) -> None:
    """Each alternative is a pattern of its own, in normal form, and none comes twice."""
    pattern = parse_pattern(text)
    assert isinstance(pattern, Pattern)
    assert expand(pattern) == tuple(Pattern(one) for one in ALTERNATIVES[text])
    assert all(parse_pattern(one.text) == one for one in expand(pattern))
    assert {path for one in expand(pattern) for path in one.alternatives} == set(
        pattern.alternatives
    )


def test_sixty_four_alternatives_are_allowed_and_no_more() -> None:
    """The alternatives of all braces together are counted, without making them."""
    assert isinstance(parse_pattern("{a,b}" * 6), Pattern)
    for text, count in (("{a,b}" * 6 + "{a,b,c}", 192), ("{a,b}" * 100, 2**100)):
        found = parse_pattern(text)
        assert isinstance(found, PatternFault)
        assert f"has {count} brace alternatives" in found.reason


def test_a_text_that_was_never_parsed_is_a_bug() -> None:
    """A pattern made by hand from what is no normal text fails loudly when it is used."""
    with pytest.raises(Exception, match="leaves the workspace"):
        assert Pattern("../a").alternatives
