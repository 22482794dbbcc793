import pytest

from subsessiond.core.scope import Pattern, covers, escape, parse_pattern

NAMES = ("a*b", "[x]", "{a,b}", "back\\slash", "what?", "}", "]", "a,b", "!", "-", "**", "^")


@pytest.mark.parametrize("name", NAMES)
def test_an_escaped_name_is_a_pattern_of_that_name_alone(name: str) -> None:
    """Whatever a file is called, its escaped name covers it."""
    pattern = parse_pattern(escape(name))
    assert isinstance(pattern, Pattern)
    assert pattern.alternatives[0][0] == name
    assert covers(pattern, name)


def test_only_needed_escapes_are_written() -> None:
    """A comma and a closing brace are escaped within braces and nowhere else."""
    assert escape("a,b}[c]") == "a,b}\\[c]"
    assert parse_pattern("{\\a\\,,\\}b}") == Pattern("{a\\,,\\}b}")
