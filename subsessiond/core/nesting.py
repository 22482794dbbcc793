"""Workspaces that hold one another: a file of the inner one is a file of the outer one too."""

import unicodedata
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from subsessiond.core.indexes import claims_in
from subsessiond.core.scope import OtherClaims, Pattern, escape
from subsessiond.model.tree import Tree


class Near(NamedTuple):
    """A workspace that shares files with another."""

    workspace: str
    names: tuple[str, ...]
    """From the outer of the two to the inner one, in the normal form of patterns."""
    is_outer: bool
    """Whether this one is the outer."""


class ClaimsAround(NamedTuple):
    """The claims that a brief may meet."""

    workspaces: tuple[str, ...]
    claims: tuple[OtherClaims, ...]
    """Of each of these workspaces."""


def around(workspace: str, known: Iterable[str], *, fold_case: bool) -> tuple[Near, ...]:
    """Find those of known workspaces that share files with one: itself first, then by name.

    Why all are looked at: those below cannot be found otherwise, and there are a few dozen.
    """
    found = _around(workspace, known, fold_case=fold_case)
    return tuple(sorted(found, key=lambda near: (near.workspace != workspace, near.workspace)))


def claims_around(tree: Tree, workspace: str, *, fold_case: bool) -> ClaimsAround:
    """Give the claims in a workspace and in all that share files with it."""
    near = around(workspace, tree.claims, fold_case=fold_case)
    return ClaimsAround(
        tuple(one.workspace for one in near),
        tuple(OtherClaims(claims_in(tree, one.workspace), one.names, one.is_outer) for one in near),
    )


def text_in(workspace: str, pattern: Pattern, asker: str) -> str:
    """Write a claim so that whoever asks can tell where it is: absolute where that is elsewhere."""
    if workspace == asker:
        return pattern.text
    return f"{escape(workspace.rstrip('/'))}/{pattern.text}"


def _around(workspace: str, known: Iterable[str], *, fold_case: bool) -> Iterator[Near]:
    own = _whole(workspace, fold_case=fold_case)
    for other in known:
        whole = _whole(other, fold_case=fold_case)
        if own.startswith(whole):
            yield Near(other, _names(own[len(whole) :]), is_outer=True)
        elif whole.startswith(own):
            yield Near(other, _names(whole[len(own) :]), is_outer=False)


def _whole(workspace: str, *, fold_case: bool) -> str:
    """Give a workspace in the form in which two are compared, with a slash at its end."""
    whole = workspace.rstrip("/") + "/"
    return whole.casefold() if fold_case else whole


def _names(way: str) -> tuple[str, ...]:
    normal = unicodedata.normalize("NFC", way)
    return tuple(name for name in normal.split("/") if name)
