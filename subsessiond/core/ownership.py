"""Claims: what a child may own, and whom it would meet."""

from subsessiond.core.case import SpawnCase
from subsessiond.core.indexes import claims_in, patterns_of
from subsessiond.core.scope import Pattern, PatternFault, includes, nearest, parse_pattern
from subsessiond.model.rejection import Code, Rejection

WARNINGS = 5
"""Overlaps recorded of each pattern, and named in one answer."""


def check_scope(case: SpawnCase) -> Rejection | None:
    """Refuse files outside what the parent owns, then files that another node holds."""
    wanted = patterns_of(case.command.paths.owns)
    for i, pattern in enumerate(wanted):
        if rejection := _outside(case, i, pattern):
            return rejection
    return None if case.command.allow_overlap else _overlap(case, wanted)


def unreadable(owns: tuple[str, ...]) -> tuple[int, ...]:
    """Give the places of those texts that are no patterns."""
    parsed = (parse_pattern(text) for text in owns)
    return tuple(i for i, one in enumerate(parsed) if isinstance(one, PatternFault))


def _outside(case: SpawnCase, i: int, pattern: Pattern) -> Rejection | None:
    if case.parent.is_root or (case.predecessor and pattern.text in case.predecessor.owns):
        return None
    lent = patterns_of((*case.parent.owns, *case.granted))
    if any(includes(outer, pattern) for outer in lent):
        return None
    close = nearest(lent, pattern)
    detail = f"the nearest pattern the parent owns is {close.text}" if close else "it owns no files"
    return Rejection(
        code=Code.SCOPE_OUTSIDE_PARENT,
        step="scope",
        detail=detail,
        paths=(_spelling(case, i), pattern.text),
    )


def _overlap(case: SpawnCase, wanted: tuple[Pattern, ...]) -> Rejection | None:
    index = claims_in(case.tree, case.parent.workspace)
    met = index.first_meeting_of(wanted, case.exempt)
    if met is None:
        return None
    pattern, (owner, theirs, meeting) = met
    witness = (meeting.witness,) if meeting.witness else ()
    return Rejection(
        code=Code.SCOPE_OVERLAP,
        step="scope",
        detail=f"{owner} owns {theirs.text}",
        sibling=owner,
        paths=(_spelling(case, wanted.index(pattern)), theirs.text, *witness),
    )


def overlaps(case: SpawnCase) -> tuple[str, ...]:
    """Name the nodes whose claims an allowed overlap meets, sorted."""
    if not case.command.allow_overlap:
        return ()
    index = claims_in(case.tree, case.parent.workspace)
    wanted = patterns_of(case.command.paths.owns)
    met = (index.meetings(pattern, case.exempt, WARNINGS) for pattern in wanted)
    return tuple(sorted({owner for found in met for owner, _, _ in found}))


def _spelling(case: SpawnCase, i: int) -> str:
    spelled = case.command.paths.spelled
    return spelled[i] if i < len(spelled) else case.command.paths.owns[i]
