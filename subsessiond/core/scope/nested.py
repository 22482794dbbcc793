"""Claims of workspaces that lie in one another: the same files, named from another folder.

Each workspace keeps its claims as paths of its own. Here a path is rewritten as one of the folder
above, or as what of it lies in a folder below, and asked there. Only what lies in both workspaces
counts, and the folder of the inner one itself does not: it is no file that anybody writes.
"""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from msgspec.structs import replace

from subsessiond.core.scope.index import ClaimIndex, Clash, Exempt
from subsessiond.core.scope.names import holds_name
from subsessiond.core.scope.pattern import Meeting, Pattern
from subsessiond.core.scope.steps import BRIEF_STEPS, Meter
from subsessiond.core.scope.symbols import ANY_NAME, MANY, Many, Path


class OtherClaims(NamedTuple):
    """The claims of one workspace, and how to get there from the one that is asked for."""

    held: ClaimIndex
    names: tuple[str, ...] = ()
    """From the outer of the two folders to the inner one, as patterns have them; none if equal."""
    is_outer: bool = True
    """Whether it is the outer one whose claims these are."""

    def clashes(self, pattern: Pattern, exempt: Exempt, meter: Meter) -> Iterator[Clash]:
        """Go through the claims there that the pattern meets, witnesses as the asker names them."""
        for clash in self.held.clashes(self._moved(pattern.alternatives, meter), exempt, meter):
            yield clash._replace(meeting=self._told(clash.meeting)) if self.names else clash

    def _moved(self, paths: Iterable[Path], meter: Meter) -> Iterator[Path]:
        for path in paths:
            if not self.names:
                yield path
                continue
            meter.spend()
            if self.is_outer:
                yield beneath(path, self.names)
            else:
                yield from inside(path, self.names, meter)

    def _told(self, meeting: Meeting) -> Meeting:
        if meeting.witness is None:
            return meeting
        way, witness = "/".join(self.names) + "/", meeting.witness
        told = witness.removeprefix(way) if self.is_outer else way + witness
        return replace(meeting, witness=told)


class Met(NamedTuple):
    """One pattern, one claim it meets, and where in the list of workspaces that was."""

    asked: Pattern
    clash: Clash
    place: int


def meetings_of(
    patterns: tuple[Pattern, ...],
    others: tuple[OtherClaims, ...],
    exempt: Exempt,
    *,
    step_budget: int = BRIEF_STEPS,
) -> Iterator[Met]:
    """Go through what patterns meet in several workspaces, all on one step budget.

    Nothing only if they provably meet no claim but exempt ones.
    """
    meter, heads = Meter(step_budget), _by_head(patterns)
    for place, other in enumerate(others):
        for asked in patterns if other.is_outer else _headed(heads, other.names[0]):
            for clash in other.clashes(asked, exempt, meter):
                yield Met(asked, clash, place)
            if meter.is_spent:
                # Why: every claim there has then been looked at, and all are exempt.
                break


def _by_head(patterns: tuple[Pattern, ...]) -> dict[str, dict[int, Pattern]]:
    """File patterns under the names they may begin with; nothing written out is under none."""
    found: dict[str, dict[int, Pattern]] = {}
    for number, pattern in enumerate(patterns):
        for path in pattern.alternatives:
            head = path[0] if isinstance(path[0], str) else ""
            found.setdefault(head, {})[number] = pattern
    return found


def _headed(heads: dict[str, dict[int, Pattern]], name: str) -> Iterator[Pattern]:
    """Go through those that may begin with a name, in their order.

    Why: a repository may hold a hundred workspaces, and a brief as many patterns; most pairs of
    them have nothing to do with each other.
    """
    near = {**heads.get(name, {}), **heads.get("", {})}
    return (near[number] for number in sorted(near))


def beneath(path: Path, names: tuple[str, ...]) -> Path:
    """Give a path of a folder as one of a folder above it."""
    return (*names, ANY_NAME, MANY) if path == (MANY,) else (*names, *path)


def inside(path: Path, names: tuple[str, ...], meter: Meter) -> tuple[Path, ...]:
    """Give what of a path lies in a folder below, as paths of that folder.

    Raises:
        StepsSpentError: not known within the budget.
    """
    places = _closed({0}, path)
    for name in names:
        following: set[int] = set()
        for place in places:
            meter.spend()
            if place < len(path) and (after := _after(path, place, name, meter)) is not None:
                following.add(after)
        places = _closed(following, path)
        if not places:
            return ()
    return _apart(path, places)


def _after(path: Path, place: int, name: str, meter: Meter) -> int | None:
    """Say where in a path one is behind one more name; none where the name does not fit."""
    part = path[place]
    if isinstance(part, Many):
        return place
    return place + 1 if holds_name(part, name, meter) else None


def _closed(places: set[int], path: Path) -> set[int]:
    """Add the places reached by letting a run be empty; no two runs stand side by side."""
    return places | {at + 1 for at in places if at < len(path) and path[at] is MANY}


def _apart(path: Path, places: set[int]) -> tuple[Path, ...]:
    """Leave out the end, where nothing is left, and what a run before it says already."""
    runs = {at + 1 for at in places if at < len(path) and path[at] is MANY}
    return tuple(path[at:] for at in sorted(places - runs) if at < len(path))
