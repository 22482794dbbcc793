"""`subsession.transcript`: what went between the daemon and a child, for the operator alone."""

import asyncio
from itertools import groupby

from msgspec.structs import replace

from subsessiond.core.scrub import Scrubber
from subsessiond.model.ids import NodeId
from subsessiond.model.node import Status
from subsessiond.model.view import TranscriptAnswer, TranscriptRecord
from subsessiond.ports import TranscriptEntry
from subsessiond.rpc.call import Call
from subsessiond.rpc.desk import Desk
from subsessiond.rpc.rights import require_operator
from subsessiond.wire.params import TranscriptParams

PAGE_BYTES = 256 * 1024
"""Bound of a page, as it lies on disk; one piece is given whatever its size."""

BEFORE_BYTES = 16 * 1024
"""Looked at before a page: a secret that begins there ends in it, and keys are shorter."""


async def transcript(desk: Desk, call: Call, params: TranscriptParams) -> TranscriptAnswer:
    """Read pieces after a number, or the newest; scrubbed with what stands around them."""
    require_operator(call)
    node = await desk.any_node(params.node_id)
    page = await desk.transcripts.read(node.node_id, params.after, PAGE_BYTES, BEFORE_BYTES)
    first = params.after or 0
    if params.after is None:
        first = _first_shown(page.entries)
    rest = await _next(desk, node.node_id, page.upto) if page.more else ()
    # Why in a thread: a page of hostile text takes a second, and others are to be served meanwhile.
    clean = await asyncio.to_thread(_scrubbed, desk.scrubber, (*page.entries, *rest))
    shown = tuple(entry for entry in clean[: len(page.entries)] if entry.n > first)
    live = node.status is not Status.RELEASED and not node.leftovers
    if live or page.more:
        shown = _finished(shown)
    return TranscriptAnswer(
        records=tuple(
            TranscriptRecord(n=e.n, at=e.at_ms, kind=e.kind, text=e.text, more=e.more)
            for e in shown
        ),
        next=shown[-1].n if shown else first,
        more=page.more,
        live=live,
    )


def _first_shown(entries: tuple[TranscriptEntry, ...]) -> int:
    """Give the number before the first to be shown of the newest: those before it are looked at."""
    if not entries or entries[0].n == 1:
        return 0
    size = 0
    for entry in entries[:-1]:
        size += len(entry.text)
        if size > BEFORE_BYTES:
            break
    else:
        return entries[0].n - 1
    return entry.n


async def _next(desk: Desk, node_id: NodeId, after: int) -> tuple[TranscriptEntry, ...]:
    """Look at what follows a page: a secret may begin at its end."""
    return (await desk.transcripts.read(node_id, after, 1)).entries


def _scrubbed(
    scrubber: Scrubber, entries: tuple[TranscriptEntry, ...]
) -> tuple[TranscriptEntry, ...]:
    """Scrub the pieces of each kind as the one text that they are."""
    clean: dict[int, TranscriptEntry] = {}
    by_kind = sorted(entries, key=lambda entry: entry.kind)
    for _, group in groupby(by_kind, key=lambda entry: entry.kind):
        same = tuple(group)
        texts = scrubber.pieces(tuple(entry.text for entry in same))
        clean.update({e.n: replace(e, text=t) for e, t in zip(same, texts, strict=True)})
    return tuple(clean[entry.n] for entry in entries)


def _finished(entries: tuple[TranscriptEntry, ...]) -> tuple[TranscriptEntry, ...]:
    """Leave out a line at the end whose rest is still to come, but never everything.

    Why: a key may stand across the place where it was split.
    """
    ends = {entry.kind: n for n, entry in enumerate(entries) if not entry.more}
    open_at = [n for n, e in enumerate(entries) if e.more and n > ends.get(e.kind, -1)]
    return entries[: open_at[0]] if open_at and open_at[0] > 0 else entries
