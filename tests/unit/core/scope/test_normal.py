import pytest

from subsessiond.core.scope import (
    Pattern,
    PatternFault,
    literal_prefix,
    normal_path,
    parse_pattern,
    with_prefix,
)

SPELLINGS = {
    "src/app/x.py": "src/app/x.py",
    "./src/app/x.py": "src/app/x.py",
    "src/./app/x.py": "src/app/x.py",
    "src//app///x.py": "src/app/x.py",
    "src/lib/../app/x.py": "src/app/x.py",
    "src/a*/../app/x.py": "src/app/x.py",
    "src/app/": "src/app/**",
    "src/app/./": "src/app/**",
    "src/app/**/": "src/app/**",
    "src/app/.": "src/app",
    ".": "**",
    "./": "**",
    "src/..": "**",
    "**": "**",
    "***": "*",
    "a**b": "a*b",
    "a/**/**/b": "a/**/b",
    "a/**/./**/": "a/**",
    "a**/b": "a*/b",
    "cafe\u0301": "caf\u00e9",
    "[.]/a": "a",
    "\\a\\b": "ab",
    "\\*a": "\\*a",
    "a,b}": "a,b}",
    "{a\\,,b\\}}": "{a\\,,b\\}}",
    "{a/b,c}/../d": "{a/b,c}/../d",
    "x/{a,b}/../../c/../d": "x/{a,b}/../../d",
    "a/{b,./c}": "a/{b,./c}",
}


@pytest.mark.scenario("S32")
@pytest.mark.parametrize("text", SPELLINGS)
def test_every_spelling_has_one_normal_form(text: str) -> None:
    """Other spellings of one pattern become the same text, and that text stays itself."""
    assert parse_pattern(text) == Pattern(SPELLINGS[text])
    assert parse_pattern(SPELLINGS[text]) == Pattern(SPELLINGS[text])


REFUSALS = {
    "": "is empty",
    "a\0b": "NUL",
    "a\ud800": "surrogate",
    "x" * 513: "513 bytes",
    "\u00e9" * 257: "514 bytes",
    "\u0958" * 100: "600 bytes",
    "/etc/x": "absolute",
    "//x": "absolute",
    "../outside/x": "leaves the workspace",
    "a/../../x": "leaves the workspace",
    "\\.\\./x": "leaves the workspace",
    "[.][.]/x": "leaves the workspace",
    "{a,..}/../x": "leaves the workspace",
    "**/../x": "goes up from **",
    "{,a}/b": "absolute",
    "{,a}": "alternative that is empty",
}


@pytest.mark.scenario("S32")
@pytest.mark.parametrize("text", REFUSALS)
def test_what_is_no_pattern_of_the_workspace_is_refused_in_words(text: str) -> None:
    """A text that leaves the workspace or breaks a limit yields its reason."""
    found = parse_pattern(text)
    assert isinstance(found, PatternFault)
    assert REFUSALS[text] in found.reason


def test_letter_case_counts_unless_it_is_folded() -> None:
    """With folding, two spellings that differ in case are one pattern; without, they are two."""
    assert parse_pattern("SRC/App/x.py") == Pattern("SRC/App/x.py")
    assert parse_pattern("SRC/App/x.py", fold_case=True) == Pattern("src/app/x.py")
    assert parse_pattern("Straße/[A-C]*", fold_case=True) == Pattern("strasse/[a-c]*")


def test_a_path_is_normal_without_any_magic() -> None:
    """In a path of a file, stars and braces are letters like others."""
    assert normal_path("./a//[b]/../{c}*.py") == "a/{c}*.py"
    assert normal_path("SRC/Cafe\u0301", fold_case=True) == "src/caf\u00e9"
    assert normal_path("SRC") == "SRC"


@pytest.mark.parametrize(
    ("path", "reason"),
    [("", "is empty"), ("../x", "leaves"), ("/x", "absolute"), ("a/..", "workspace itself")],
)
def test_a_path_outside_the_workspace_is_refused(path: str, reason: str) -> None:
    """A path that names no file of the workspace yields its reason."""
    found = normal_path(path)
    assert isinstance(found, PatternFault)
    assert reason in found.reason


def test_the_literal_prefix_ends_before_the_first_magic_segment() -> None:
    """What a link on disk can stand for is returned as plain names."""
    assert literal_prefix("./a/x/../b/*.py") == ("a", "b")
    assert literal_prefix("a\\*/b/**") == ("a*", "b")
    assert literal_prefix("a/b") == ("a", "b")
    assert literal_prefix("**/a") == ()
    assert literal_prefix("../a") == ()


def test_the_literal_prefix_can_be_replaced() -> None:
    """Names found on disk take the place of the prefix, escaped where they hold magic."""
    assert with_prefix("link/b/*.py", ("real", "[b]")) == "real/\\[b]/*.py"
    assert with_prefix("link/**", ("real",)) == "real/**"
    assert with_prefix("link", ()) == "."
    with pytest.raises(ValueError, match="leaves the workspace"):
        with_prefix("../a", ("b",))
