"""Reads a checkpoint and measures it."""

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import Field

from subsessiond.model.brief import FieldFault
from subsessiond.model.checkpoint import Checkpoint
from subsessiond.wire.canonical import compact_bytes
from subsessiond.wire.faults import read_fields
from subsessiond.wire.params import Params
from subsessiond.wire.text import Listed, Maybe, Pointer, SomeText


class CheckpointFields(Params):
    """What a child writes down so that another can go on."""

    phase: SomeText
    """What it is doing, in a few words."""
    state: SomeText
    """What is done and what is true now."""
    next_step: SomeText
    """What somebody who goes on would do first."""
    decisions: Maybe[Annotated[Listed[SomeText], Field(max_length=1_000)]] = None
    """What was decided, and why."""
    files: Maybe[Annotated[Listed[Pointer], Field(max_length=1_000)]] = None
    """Files that matter for going on."""


def parse_checkpoint(raw: Mapping[str, Any]) -> Checkpoint | tuple[FieldFault, ...]:
    """Read a checkpoint, or name every bad field."""
    fields = read_fields(CheckpointFields, raw)
    if isinstance(fields, tuple):
        return fields
    return Checkpoint(
        phase=fields.phase,
        state=fields.state,
        next_step=fields.next_step,
        decisions=fields.decisions or (),
        files=fields.files or (),
    )


def checkpoint_size_bytes(raw: Mapping[str, Any]) -> int:
    """Measure a checkpoint, well-formed or not: bytes of its compact JSON."""
    return len(compact_bytes(raw))
