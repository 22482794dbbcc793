"""`core.scope.nested`: the same files, named from another folder."""

import pytest

from subsessiond.core.scope import ClaimIndex, OtherClaims, Pattern, meetings_of, parse_pattern
from subsessiond.core.scope.nested import beneath, inside
from subsessiond.core.scope.steps import Meter, StepsSpentError
from subsessiond.core.scope.symbols import ANY_NAME, MANY, Path

NOBODY: frozenset[str] = frozenset()


def pattern(text: str) -> Pattern:
    """Parse what must be a pattern."""
    found = parse_pattern(text)
    assert isinstance(found, Pattern)
    return found


def path(text: str) -> Path:
    """Give the one path of a pattern without braces."""
    (only,) = pattern(text).alternatives
    return only


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("pkg/x/a.py", ["a.py"]),
        ("pkg", ["**"]),
        ("pkg/x", ["**"]),
        ("pkg/*/a", ["a"]),
        ("p*/?/*.py", ["*.py"]),
        ("**/*.py", ["**/*.py"]),
        ("**/x/a", ["**/x/a", "a"]),
        ("**", ["**"]),
        ("other/x", []),
        ("pkg/y/a", []),
        ("pkg/x*.d", []),
        ("pkg/*.x", []),
    ],
)
def test_what_of_a_pattern_lies_in_a_folder_below(text: str, left: list[str]) -> None:
    """Every name on the way is taken off, by whatever part of the pattern it fits."""
    found = inside(path(text), ("pkg", "x"), Meter(100))
    assert list(found) == [path(one) for one in left]


def test_a_wildcard_for_files_says_nothing_of_what_is_in_a_folder_of_that_name() -> None:
    """As in one workspace, `*.d` names files, and `*.d/` the folders."""
    assert inside(path("pkg/*.d"), ("pkg", "x.d"), Meter(100)) == ()
    assert inside(path("pkg/*.d/"), ("pkg", "x.d"), Meter(100)) == (path("**"),)


def test_a_path_below_is_one_above_and_never_the_folder_itself() -> None:
    """The whole of the inner workspace is everything in it."""
    assert beneath(path("a/*.py"), ("pkg",)) == path("pkg/a/*.py")
    assert beneath(path("**"), ("pkg",)) == ("pkg", ANY_NAME, MANY)


def test_a_name_with_magic_is_a_name() -> None:
    """A folder called `[a]` or `*` is taken as written."""
    assert inside(path("\\[a]/b"), ("[a]",), Meter(100)) == (path("b"),)
    assert inside(path("[a]/b"), ("[a]",), Meter(100)) == ()
    assert beneath(path("b"), ("*",)) == path("\\*/b")


def test_the_steps_of_a_rewriting_are_bounded() -> None:
    """What cannot be told in time is told so."""
    with pytest.raises(StepsSpentError):
        inside(path("**/a/b"), ("a",) * 9, Meter(3))


def test_a_witness_is_told_as_the_asker_names_it() -> None:
    """Above as below it is a path of the workspace for which was asked."""
    held = ClaimIndex().with_claim("ann", (pattern("src/*.py"),))
    below = OtherClaims(held, ("pkg",), is_outer=False)
    (met,) = meetings_of((pattern("pkg/*/a.py"),), (below,), NOBODY)
    assert (met.clash.owner, met.clash.meeting.witness) == ("ann", "pkg/src/a.py")
    above = OtherClaims(held, ("src",))
    (met,) = meetings_of((pattern("a.py"),), (above,), NOBODY)
    assert met.clash.meeting.witness == "a.py"


def test_all_workspaces_are_asked_on_one_budget() -> None:
    """Once it is spent the first claim that counts stands for all, in every one of them."""
    held = ClaimIndex().with_claim("ann", (pattern("a/*x*y*/q"),))
    others = (OtherClaims(held), OtherClaims(held, ("pkg",)))
    asked = (pattern("a/*x*z*/q"), pattern("b"))
    assert [met.place for met in meetings_of(asked, others, NOBODY)] == [0]
    found = tuple(meetings_of(asked, others, NOBODY, step_budget=3))
    assert [(met.place, met.clash.meeting.conservative) for met in found] == [(0, True), (1, True)]
    assert not tuple(meetings_of(asked, others, frozenset({"ann"}), step_budget=3))
