"""Patterns, and the questions about them: what they cover, where two meet, which holds which."""

from typing import Final

from msgspec import Struct

from subsessiond.core.scope.alternatives import alternatives_of, expanded
from subsessiond.core.scope.names import NamePart, holds_name, may_meet, shared_name
from subsessiond.core.scope.normal import literal_prefix, normal_text
from subsessiond.core.scope.reading import PatternFault
from subsessiond.core.scope.search import WORD, Level
from subsessiond.core.scope.steps import COVER_STEPS, PAIR_STEPS, Meter, StepsSpentError
from subsessiond.core.scope.symbols import ANY_NAME, MANY, Path


class Pattern(Struct, frozen=True, order=True):
    """A set of paths of the workspace; make one with `parse_pattern`."""

    text: str
    """The normal form. All else is derived from it, so it is all that needs storing."""

    @property
    def alternatives(self) -> tuple[Path, ...]:
        """The brace-free paths it stands for."""
        return alternatives_of(self.text)


class Meeting(Struct, frozen=True):
    """Two patterns share a path, or could not be shown to share none."""

    witness: str | None
    """A path both cover; None if none was found within the budget."""
    conservative: bool = False
    """Whether the budget ran out, so that the meeting is assumed and not known."""


UNDECIDED = Meeting(witness=None, conservative=True)


def parse_pattern(text: str, *, fold_case: bool = False) -> Pattern | PatternFault:
    """Bring a pattern into its lexical normal form.

    Args:
        text: relative to the workspace, POSIX; see the package for the grammar.
        fold_case: fold the letters, for file systems that take two cases for one name. Paths asked
            about must then be folded too (`normal_path`).

    Returns:
        The pattern, or why it is none.
    """
    found = normal_text(text, fold_case=fold_case)
    return found if isinstance(found, PatternFault) else Pattern(found)


def expand(pattern: Pattern) -> tuple[Pattern, ...]:
    """Take the braces apart: patterns that cover together what the one does."""
    return tuple(Pattern(text) for text in expanded(pattern.text))


def covers(pattern: Pattern, path: str) -> bool:
    """Tell whether the path, as `normal_path` gives it, belongs to the pattern.

    Exact but for patterns built to explode: past `COVER_STEPS` they cover nothing.
    """
    try:
        return _PATHS.holds_every_word(
            pattern.alternatives, tuple(path.split("/")), Meter(COVER_STEPS)
        )
    except StepsSpentError:
        return False


def intersect(left: Pattern, right: Pattern, *, step_budget: int = PAIR_STEPS) -> Meeting | None:
    """Find out whether two patterns share a path, whatever is on disk.

    Returns:
        None only if they provably share none.
    """
    meter = Meter(step_budget)
    for mine in left.alternatives:
        for theirs in right.alternatives:
            if meeting := meeting_of(mine, theirs, meter):
                return meeting
    return None


def meeting_of(left: Path, right: Path, meter: Meter) -> Meeting | None:
    """Find out whether two brace-free paths meet; undecided when the meter runs out."""
    try:
        meter.spend()
        last, other = left[-1], right[-1]
        if last is not MANY and other is not MANY and not may_meet(last, other):
            return None
        names = _PATHS.shared_word(left, right, meter)
    except StepsSpentError:
        return UNDECIDED
    return None if names is None else Meeting("/".join(names))


def includes(outer: Pattern, inner: Pattern, *, step_budget: int = PAIR_STEPS) -> bool:
    """Tell whether all of one pattern is provably within another.

    A folder is lent with what is in it: here both sides cover what lies under their matches, also
    where they end in an extension, so that `*.py` holds `a.py`.

    Returns:
        False when unsure.
    """
    outers = tuple(_widened(path) for path in outer.alternatives)
    inners = (_widened(path) for path in inner.alternatives)
    meter = Meter(step_budget)
    try:
        return all(
            path in outers or _PATHS.holds_every_word(outers, path, meter) for path in inners
        )
    except StepsSpentError:
        return False


def nearest(outers: tuple[Pattern, ...], inner: Pattern) -> Pattern | None:
    """Choose the pattern to name when none of them includes another one.

    Returns:
        The first of those that meet it, or else of all, with the longest common literal prefix;
        None only if there is none to choose from.
    """
    if not outers:
        return None
    steps = PAIR_STEPS // len(outers)
    prefix = literal_prefix(inner.text)

    def closeness(outer: Pattern) -> tuple[bool, int]:
        meets = intersect(outer, inner, step_budget=steps) is not None
        return meets, _common(literal_prefix(outer.text), prefix)

    return max(outers, key=closeness)


def _common(left: tuple[str, ...], right: tuple[str, ...]) -> int:
    length = 0
    for mine, theirs in zip(left, right, strict=False):
        if mine != theirs:
            break
        length += 1
    return length


def _widened(path: Path) -> Path:
    return path if path[-1] is MANY else (*path, MANY)


def _shared_names(left: NamePart, right: NamePart, meter: Meter) -> tuple[str, ...]:
    name = shared_name(left, right, meter)
    return () if name is None else (name,)


def _after_name(_phase: int, _name: str) -> int:
    return WORD


_PATHS: Final = Level[NamePart](_shared_names, _after_name, holds_name, ANY_NAME)
