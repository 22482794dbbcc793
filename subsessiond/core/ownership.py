"""Claims: what a child may own, and whom it would meet."""

from itertools import islice

from subsessiond.core.case import SpawnCase
from subsessiond.core.indexes import patterns_of
from subsessiond.core.nesting import claims_around, text_in
from subsessiond.core.scope import (
    Pattern,
    PatternFault,
    expand,
    includes,
    literal_prefix,
    meetings_of,
    nearest,
    parse_pattern,
)
from subsessiond.model.rejection import Code, Rejection

WARNINGS = 5
"""Overlaps recorded of each pattern, and named in one answer."""

LEND_STEPS = 100_000
"""For all patterns of one brief against all of the parent's: about 100 ms where a step is slow."""

LEAST_STEPS = 64
"""What one pair is given at least; ordinary ones need less than 30."""


def check_scope(case: SpawnCase) -> Rejection | None:
    """Refuse files outside what the parent owns, then files that another node holds."""
    wanted = patterns_of(case.command.paths.owns)
    if rejection := _outside(case, wanted):
        return rejection
    return None if case.command.allow_overlap else _overlap(case, wanted)


def unreadable(owns: tuple[str, ...]) -> tuple[int, ...]:
    """Give the places of those texts that are no patterns."""
    parsed = (parse_pattern(text) for text in owns)
    return tuple(i for i, one in enumerate(parsed) if isinstance(one, PatternFault))


def _outside(case: SpawnCase, wanted: tuple[Pattern, ...]) -> Rejection | None:
    if case.parent.is_root:
        return None
    inherited = case.predecessor.owns if case.predecessor else ()
    lent = patterns_of((*case.parent.owns, *case.granted))
    whole = frozenset((*inherited, *(outer.text for outer in lent)))
    begins = tuple((outer, literal_prefix(outer.text)) for outer in lent)
    for i, pattern in enumerate(wanted):
        if pattern.text not in whole and not _lies_inside(
            pattern, begins, LEND_STEPS // len(wanted)
        ):
            return _not_lent(case, i, pattern, lent)
    return None


def _lies_inside(
    pattern: Pattern, lent: tuple[tuple[Pattern, tuple[str, ...]], ...], steps: int
) -> bool:
    """Tell whether one pattern holds another; false where that takes more steps than there are.

    Why the beginnings first: what is written out in the outer one is written out in the inner one
    too, and comparing that sorts out nearly all of 200 patterns against 200.
    """
    inner = tuple(literal_prefix(one.text) for one in expand(pattern))
    near = tuple(
        outer for outer, start in lent if all(begin[: len(start)] == start for begin in inner)
    )[: steps // LEAST_STEPS]
    each = steps // max(1, len(near))
    return any(includes(outer, pattern, step_budget=each) for outer in near)


def _not_lent(case: SpawnCase, i: int, pattern: Pattern, lent: tuple[Pattern, ...]) -> Rejection:
    close = nearest(lent, pattern)
    detail = f"the nearest pattern the parent owns is {close.text}" if close else "it owns no files"
    return Rejection(
        code=Code.SCOPE_OUTSIDE_PARENT,
        step="scope",
        detail=detail,
        paths=(_spelling(case, i), pattern.text),
    )


def _overlap(case: SpawnCase, wanted: tuple[Pattern, ...]) -> Rejection | None:
    around = claims_around(case.tree, case.parent.workspace, fold_case=case.policy.fold_case)
    met = next(meetings_of(wanted, around.claims, case.exempt), None)
    if met is None:
        return None
    owner, theirs, meeting = met.clash
    theirs_text = text_in(around.workspaces[met.place], theirs, case.parent.workspace)
    witness = (meeting.witness,) if meeting.witness else ()
    return Rejection(
        code=Code.SCOPE_OVERLAP,
        step="scope",
        detail=f"{owner} owns {theirs_text}",
        sibling=owner,
        paths=(_spelling(case, wanted.index(met.asked)), theirs_text, *witness),
    )


def overlaps(case: SpawnCase) -> tuple[str, ...]:
    """Name the nodes whose claims an allowed overlap meets, sorted."""
    if not case.command.allow_overlap:
        return ()
    around = claims_around(case.tree, case.parent.workspace, fold_case=case.policy.fold_case)
    found: set[str] = set()
    for pattern in patterns_of(case.command.paths.owns):
        for claims in around.claims:
            met = meetings_of((pattern,), (claims,), case.exempt)
            found |= {one.clash.owner for one in islice(met, WARNINGS)}
    return tuple(sorted(found))


def _spelling(case: SpawnCase, i: int) -> str:
    spelled = case.command.paths.spelled
    return spelled[i] if i < len(spelled) else case.command.paths.owns[i]
