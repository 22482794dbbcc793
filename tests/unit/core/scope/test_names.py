from subsessiond.core.scope import Pattern
from subsessiond.core.scope.names import NamePart, holds_name, may_meet, share_a_name, shared_name
from subsessiond.core.scope.steps import Meter
from subsessiond.core.scope.symbols import Many


def part(text: str) -> NamePart:
    """Compile the first segment of a pattern."""
    found = Pattern(text).alternatives[0][0]
    assert not isinstance(found, Many)
    return found


def shared(left: str, right: str) -> str | None:
    """Ask for a shared name with steps to spare."""
    return shared_name(part(left), part(right), Meter(1_000))


def test_a_shared_name_is_a_name() -> None:
    """What two segments share is never empty, one dot or two."""
    assert shared("a", "a") == "a"
    assert shared("a", "b") is None
    assert shared("a*", "ab") == "ab"
    assert shared("ab", "*b") == "ab"
    assert shared("ab", "*c") is None
    assert shared("a*", "*b") == "ab"
    assert shared(".*", "*.") == ".x."
    assert shared("?*", "*.") == "a."
    assert shared("[.x]", "[.y]") is None
    assert shared("[.x][.y]", "[.z][.z]") is None
    assert shared("[.x][.y][.z]", "[.a][.b][.c]") == "..."


def test_ends_that_disagree_need_no_search() -> None:
    """Names that must begin or end differently are told apart at once."""
    assert not may_meet(part("a*"), part("b*"))
    assert not may_meet(part("*a"), part("*b"))
    assert may_meet(part("a*"), part("ab*"))
    assert share_a_name(part("a*b"), part("ab*"), Meter(0))
    assert not share_a_name(part("?b"), part("?[ac]"), Meter(100))


def test_a_segment_holds_another_only_with_all_its_names() -> None:
    """Lengths, ends and sets all count."""
    meter = Meter(1_000)
    assert holds_name(part("a*a"), "aa", meter)
    assert not holds_name(part("a*a"), "a", meter)
    assert not holds_name("a", part("?[a-c]"), meter)
    assert holds_name(part("[a-c]"), part("[ab]"), meter)
    assert not holds_name(part("[ab]"), part("[a-c]"), meter)
    assert holds_name(part("*a?"), part("xa[bc]"), meter)
    assert not holds_name(part("*a?*b?"), "ax", meter)
