import pytest

from subsessiond.core.scope import Pattern, PatternFault, covers, parse_pattern

REFUSALS = {
    "[ab": "class that is never closed",
    "[": "class that is never closed",
    "[a\\": "class that is never closed",
    "[a-": "class that is never closed",
    "[]": "class that is never closed",
    "[a/b]": "class with a slash",
    "[z-a]": "runs backwards",
    "[^a]": "class with ^",
    "[[:alpha:]]": "named class",
    "[!\x01-\U0010ffff]": "no character matches",
    "{a,b": "brace that is never closed",
    "{a": "brace that is never closed",
    "{a}": "braces without a comma",
    "{}": "braces without a comma",
    "a\\": "lone backslash",
    "a\\/b": "escapes a slash",
    "{a," * 17 + "b" + "}" * 17: "deeper than 16",
}


@pytest.mark.parametrize("text", REFUSALS)
def test_a_text_that_breaks_the_grammar_is_refused_in_words(text: str) -> None:
    """What cannot be read as a pattern yields the reason, never a guess."""
    found = parse_pattern(text)
    assert isinstance(found, PatternFault)
    assert REFUSALS[text] in found.reason


CLASSES = {
    "[c-ab-d]": None,
    "[abc]": "[a-c]",
    "[ba]": "[ab]",
    "[a]": "a",
    "[*]": "\\*",
    "[]a]": "[\\]a]",
    "[!]a]": "[!\\]a]",
    "[a-]": "[\\-a]",
    "[-a]": "[\\-a]",
    "[\\]-a]": "[\\]-a]",
    "[\\^a]": "[\\^a]",
    "[[a]": "[\\[a]",
    "[!a-z]": "[!a-z]",
    "[b-\U0010ffff]": "[!\x01-.0-a]",
    "[\x01-\U0010ffff]": "?",
    "[a-ce]": "[a-ce]",
    "[e\\\u0301]": "[e\\\u0301]",
    "[\u212c-\U0010ffff]": "[\u212c-\ud7ff\ue000-\U0010ffff]",
}


@pytest.mark.parametrize("text", CLASSES)
def test_a_class_has_one_spelling(text: str) -> None:
    """Classes are sorted and joined, and one of a single character is that character."""
    found = parse_pattern(text)
    if CLASSES[text] is None:
        assert isinstance(found, PatternFault)
    else:
        assert found == Pattern(CLASSES[text] or "")
        assert parse_pattern(CLASSES[text] or "") == found


def test_a_class_folds_letter_by_letter() -> None:
    """Folding turns the letters of a class to lower case and keeps those that fold to several."""
    assert parse_pattern("[A-CX]", fold_case=True) == Pattern("[a-cx]")
    assert parse_pattern("[!A]", fold_case=True) == Pattern("[!a]")
    assert parse_pattern("[ßA]", fold_case=True) == Pattern("[aß]")
    wide = parse_pattern("[A-\U0010ffff]", fold_case=True)
    assert isinstance(wide, PatternFault)
    assert "too wide" in wide.reason


def test_braces_hold_commas_and_classes_hold_anything() -> None:
    """A comma in a class or behind a backslash does not end an alternative."""
    pattern = parse_pattern("{[,}]a,b\\,}")
    assert isinstance(pattern, Pattern)
    assert [covers(pattern, path) for path in (",a", "}a", "b,", "a", "b")] == [
        True,
        True,
        True,
        False,
        False,
    ]


@pytest.mark.parametrize(
    ("text", "path", "covered"),
    [
        ("{**,b}/c", "x/y/c", True),
        ("a/{b,**}", "a/x/y", True),
        ("{x,**}y", "ay", True),
        ("{x,**}y", "a/y", False),
        ("**{,x}/c", "a/b/c", True),
        ("{,x}**/c", "a/b/c", True),
        ("*{,x}*/c", "a/b/c", False),
        ("**{x,y}/c", "a/bx/c", False),
        ("x}**/c", "x}a/c", True),
        ("***/c", "a/b/c", False),
    ],
)
def test_two_stars_cross_segments_only_when_they_stand_alone(
    text: str, path: str, covered: bool
) -> None:
    """Also in braces, `**` next to other characters of its segment is a `*`."""
    pattern = parse_pattern(text)
    assert isinstance(pattern, Pattern)
    assert covers(pattern, path) is covered
