"""The one thread that writes all transcripts, and the queue before it."""

import threading
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Final, NamedTuple

import structlog

from subsessiond.adapters.transcripts.layout import folder_of
from subsessiond.adapters.transcripts.spool import Part, Spool
from subsessiond.adapters.transcripts.streams import Stream, in_pieces
from subsessiond.model.ids import NodeId

QUEUED_BYTES: Final = 16 * 1024 * 1024
"""Bytes of all children that may wait to be written; what comes above is dropped."""

CHILD_BYTES: Final = 1024 * 1024
"""Bytes of one child that may wait: one that floods takes no room from the others."""

BATCH: Final = 64
"""Pieces taken at once: of each child they become one write, or few."""

log = structlog.get_logger(__name__)


class Piece(NamedTuple):
    """Something to be written, or an order."""

    source: "Source"
    at_ms: int
    kind: str
    """Empty: nothing more comes."""
    data: bytes
    whole: bool
    """Stands for itself; else it is part of a stream."""
    lost: int = 0
    """Bytes that were dropped right before it."""


class Source:
    """One transcript between loop and thread: each side has its own counters."""

    __slots__ = ("done_bytes", "lost_bytes", "node_id", "put_bytes", "spool", "streams")

    def __init__(self, node_id: NodeId, base: Path) -> None:
        self.node_id = node_id
        self.put_bytes = 0
        """Queued so far; the loop's."""
        self.lost_bytes = 0
        """Dropped since the last piece that was queued; the loop's."""
        self.done_bytes = 0
        """Taken from the queue so far; the thread's."""
        self.spool = Spool(folder_of(base, node_id))
        self.streams: dict[str, Stream] = {}


class Writer:
    """Takes pieces from the loop without ever letting it wait."""

    def __init__(self) -> None:
        self._queue: SimpleQueue[Piece | None] = SimpleQueue()
        self._thread: threading.Thread | None = None
        self._put_bytes = 0
        self._done_bytes = 0

    def put(self, piece: Piece) -> None:
        """Queue a piece, or drop it where too much waits already."""
        size, source = len(piece.data), piece.source
        waiting = self._put_bytes - self._done_bytes
        own = source.put_bytes - source.done_bytes
        # Why only behind others: one piece larger than the bound is better kept than dropped.
        if size and (0 < own > CHILD_BYTES - size or 0 < waiting > QUEUED_BYTES - size):
            source.lost_bytes += size
            return
        self._put_bytes += size
        source.put_bytes += size
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="transcripts", daemon=True)
            self._thread.start()
        self._queue.put(piece._replace(lost=source.lost_bytes))
        source.lost_bytes = 0

    def stop(self) -> None:
        """Return when all that waits is written, and nothing is open any more."""
        if self._thread is not None:
            self._queue.put(None)
            self._thread.join()
            self._thread = None

    def _run(self) -> None:
        ending = False
        unclosed: dict[Source, Piece] = {}
        while not ending:
            batch = self._take()
            ending = None in batch
            by_source: dict[Source, list[Piece]] = {}
            for piece in batch:
                if piece is not None:
                    by_source.setdefault(piece.source, []).append(piece)
            for source, pieces in by_source.items():
                _write_safely(source, pieces)
                size = sum(len(piece.data) for piece in pieces)
                source.done_bytes += size
                self._done_bytes += size
                unclosed[source] = pieces[-1]
                if not pieces[-1].kind:
                    del unclosed[source]
        for source, piece in unclosed.items():
            _write_safely(source, [piece._replace(kind="", data=b"", lost=0)])

    def _take(self) -> list[Piece | None]:
        batch = [self._queue.get()]
        try:
            while len(batch) < BATCH and batch[-1] is not None:
                batch.append(self._queue.get_nowait())
        except Empty:
            pass
        return batch


def _write_safely(source: Source, pieces: list[Piece]) -> None:
    try:
        _write(source, pieces)
    except Exception:  # a bug in one transcript leaves the others alone
        log.exception("a transcript was not written", node=source.node_id)


def _write(source: Source, pieces: list[Piece]) -> None:
    """Write what came from one child; a stream's last line waits for its end."""
    parts: list[Part] = []
    for piece in pieces:
        if piece.lost:
            source.spool.append(parts)
            parts = []
            source.spool.lose(piece.lost + sum(s.break_off() for s in source.streams.values()))
        parts += _parts(source, piece)
    source.spool.append(parts)
    if not pieces[-1].kind:
        source.spool.note_lost(pieces[-1].at_ms)
        source.spool.close()


def _parts(source: Source, piece: Piece) -> list[Part]:
    if not piece.kind:
        streams = sorted(source.streams.items())
        source.streams = {}
        return [Part(piece.at_ms, kind, *part) for kind, s in streams for part in s.end()]
    if piece.whole:
        text = piece.data.decode(errors="backslashreplace")
        found = in_pieces(text if text.endswith("\n") else f"{text}\n", more=False)
    else:
        found = source.streams.setdefault(piece.kind, Stream()).feed(piece.data)
    return [Part(piece.at_ms, piece.kind, *part) for part in found]
