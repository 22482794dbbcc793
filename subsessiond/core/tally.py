"""Arithmetic of measured tokens: a figure that nobody reported is none, and stays none."""

from subsessiond.model.node import Node
from subsessiond.model.usage import FIGURE_MOST, Below, Usage


def sound(usage: Usage) -> Usage | None:
    """Leave out figures that cannot be; none when nothing is left."""
    kept = Usage(
        input=_sound(usage.input),
        cache_read=_sound(usage.cache_read),
        cache_write=_sound(usage.cache_write),
        output=_sound(usage.output),
    )
    return kept if kept != Usage() else None


def most(one: Usage | None, other: Usage | None) -> Usage | None:
    """Take the greater of each figure: running totals never fall."""
    if one is None or other is None:
        return one or other
    return Usage(
        input=_most(one.input, other.input),
        cache_read=_most(one.cache_read, other.cache_read),
        cache_write=_most(one.cache_write, other.cache_write),
        output=_most(one.output, other.output),
    )


def plus(one: Usage | None, other: Usage | None) -> Usage | None:
    """Add figure by figure."""
    if one is None or other is None:
        return one or other
    return Usage(
        input=_plus(one.input, other.input),
        cache_read=_plus(one.cache_read, other.cache_read),
        cache_write=_plus(one.cache_write, other.cache_write),
        output=_plus(one.output, other.output),
    )


def exchanged(total: Usage | None, old: Usage | None, new: Usage | None) -> Usage | None:
    """Take one summand out of a sum, and put its newer state in."""
    return plus(total, _grown(old, new))


def share_of(node: Node | None) -> Below:
    """Give what a node itself adds to those above it."""
    if node is None or node.is_root:
        return Below()
    reports = node.measured is not None
    # Why also by its figures: a node made again from its journal has lost when it was started.
    started = node.started_at_ms is not None or reports
    return Below(measured=node.measured, reporting=int(reports), started=int(started))


def moved(below: Below, old: Below, new: Below) -> Below:
    """Take one share out of what is below a node, and put its newer state in."""
    return Below(
        measured=exchanged(below.measured, old.measured, new.measured),
        reporting=below.reporting + new.reporting - old.reporting,
        started=below.started + new.started - old.started,
    )


def together(node: Node) -> Below:
    """Give what was measured of a node and all below it."""
    return moved(node.below, Below(), share_of(node))


def _grown(old: Usage | None, new: Usage | None) -> Usage | None:
    """Give by how much each figure grew."""
    if old is None or new is None:
        return new
    return Usage(
        input=_grown_by(old.input, new.input),
        cache_read=_grown_by(old.cache_read, new.cache_read),
        cache_write=_grown_by(old.cache_write, new.cache_write),
        output=_grown_by(old.output, new.output),
    )


def _sound(figure: int | None) -> int | None:
    return figure if figure is not None and 0 <= figure <= FIGURE_MOST else None


def _most(one: int | None, other: int | None) -> int | None:
    if one is None or other is None:
        return other if one is None else one
    return max(one, other)


def _plus(one: int | None, other: int | None) -> int | None:
    if one is None or other is None:
        return other if one is None else one
    return one + other


def _grown_by(old: int | None, new: int | None) -> int | None:
    return new if old is None or new is None else new - old
