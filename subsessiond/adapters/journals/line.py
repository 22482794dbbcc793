"""One line of a journal: its spelling, its checksum, and what it is worth when read back. Pure."""

import hashlib
from typing import Any

import msgspec

from subsessiond.ports import JournalLine, JournalRecord

VERSION = 1
LINE_MOST_BYTES = 4 * 1024 * 1024
"""No record is longer: a checkpoint has 256 KiB, and a byte of text is written with six at most."""

LOST = "lost"
"""The kind of a line that stands where a record was and could not be had any more."""

_sorted = msgspec.json.Encoder(order="sorted")
_plain = msgspec.json.Encoder()


class _Line(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    v: int
    n: int
    at: int
    kind: str
    body: dict[str, Any]
    sha: str


_strict = msgspec.json.Decoder(_Line)
_loose: msgspec.json.Decoder[Any] = msgspec.json.Decoder()


def encode(line: JournalLine) -> bytes:
    """Spell a line, with its checksum and its newline."""
    sha = checksum(line.n, line.at_ms, line.kind, line.body)
    full = _Line(v=VERSION, n=line.n, at=line.at_ms, kind=line.kind, body=line.body, sha=sha)
    return _plain.encode(full) + b"\n"


def lost(line: JournalLine, n: int) -> JournalLine:
    """Make the line that stands for a record `n` which is lost, beside one that is not."""
    return JournalLine(
        node_id=line.node_id, workspace=line.workspace, n=n, at_ms=line.at_ms, kind=LOST, body={}
    )


def checksum(n: int, at_ms: int, kind: str, body: dict[str, Any]) -> str:
    """SHA-256, hexadecimal, of the line without `sha`: compact JSON, all keys sorted."""
    rest = {"v": VERSION, "n": n, "at": at_ms, "kind": kind, "body": body}
    return hashlib.sha256(_sorted.encode(rest)).hexdigest()


def decode(raw: bytes, n: int) -> JournalRecord:
    """Read what stands in line `n`; anything but the record that belongs there is damaged."""
    try:
        line = _strict.decode(raw)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return JournalRecord(n=n, at_ms=0, kind="", body=_readable(raw), damaged=True)
    is_whole = (
        line.v == VERSION
        and line.n == n
        and line.sha == checksum(line.n, line.at, line.kind, line.body)
    )
    return JournalRecord(n=n, at_ms=line.at, kind=line.kind, body=line.body, damaged=not is_whole)


def is_record(raw: bytes, n: int) -> bool:
    """Tell whether this is, or once was, record `n`: well formed, though maybe altered since."""
    return _number_of(raw) == n


def is_well_formed(raw: bytes) -> bool:
    """Tell whether this is, or once was, a record of any number."""
    return _number_of(raw) is not None


def _number_of(raw: bytes) -> int | None:
    try:
        return _strict.decode(raw).n
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return None


def is_same(record: JournalRecord, line: JournalLine) -> bool:
    """Tell whether what was read back is this line, unaltered."""
    there = checksum(record.n, record.at_ms, record.kind, record.body)
    return not record.damaged and there == checksum(line.n, line.at_ms, line.kind, line.body)


def _readable(raw: bytes) -> dict[str, Any]:
    try:
        found = _loose.decode(raw)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return {}
    body = found.get("body") if isinstance(found, dict) else None
    return body if isinstance(body, dict) else {}
