"""What an in-process child says, made into the commands that any client's words would become."""

import asyncio
from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

from msgspec.structs import replace

from subsessiond.model.brief import Brief, FieldFault
from subsessiond.model.commands import Caller, SaveCheckpoint, Spawn, SubmitReport
from subsessiond.model.node import Node
from subsessiond.model.planned import PlannedPaths
from subsessiond.model.report import MalformedReport, Outcome, Report, Stage
from subsessiond.ports import IdSource, Voice, Workspace, WorkspaceBusy, WorkspaceFault
from subsessiond.wire.brief import parse_brief
from subsessiond.wire.canonical import brief_fingerprint, report_fingerprint
from subsessiond.wire.checkpoint import checkpoint_size_bytes, parse_checkpoint
from subsessiond.wire.report import parse_report, report_size_bytes

LOOKS: Final = 10
LOOK_AGAIN_S: Final = 1.0

CheckSchema = Callable[[Mapping[str, Any], Any], str | None]
"""Holds the structured part of a final against its brief's schema; gives what is wrong."""


class ToJudge(NamedTuple):
    """Data that has to be held against a schema, off the loop."""

    schema: dict[str, Any]
    value: Any

    def judged(self, command: SubmitReport, fault: str | None) -> SubmitReport:
        """Stamp onto the report what was found wrong."""
        missing = "structured is required by the brief's schema"
        return replace(command, schema_fault=missing if self.value is None else fault)


def schema_of(node: Node, said: Report | MalformedReport) -> ToJudge | None:
    """Give what of a report its brief's schema speaks of: the data of what is, or may become, a
    completed final.
    """
    schema = node.brief.report_contract.output_schema if node.brief is not None else None
    if schema is None or not isinstance(said, Report):
        return None
    completes = said.stage is Stage.FINAL and said.outcome is Outcome.COMPLETED
    # Why unnamed ones too: one of them may become the final when the child ends without one.
    if said.explicit and not completes:
        return None
    return ToJudge(schema, said.structured)


def report_command(raw: dict[str, Any], node: Node, caller: Caller, voice: Voice) -> SubmitReport:
    """Make a report out of the method's parameters."""
    parsed = parse_report(raw)
    if isinstance(parsed, MalformedReport):
        size, fingerprint = parsed.size_bytes, ""
    else:
        size, fingerprint = report_size_bytes(parsed), report_fingerprint(parsed)
    return SubmitReport(
        caller=caller,
        node=node.node_id,
        report=parsed,
        fingerprint=fingerprint,
        size_bytes=size,
        **voice.now(),
    )


def checkpoint_command(
    raw: dict[str, Any], node: Node, caller: Caller, voice: Voice
) -> SaveCheckpoint:
    """Make a checkpoint out of the method's parameters."""
    parsed = parse_checkpoint(raw)
    faults = parsed if isinstance(parsed, tuple) else ()
    return SaveCheckpoint(
        caller=caller,
        node=node.node_id,
        checkpoint=None if isinstance(parsed, tuple) else parsed,
        size_bytes=checkpoint_size_bytes(raw),
        faults=faults,
        **voice.now(),
    )


async def spawn_command(
    raw: dict[str, Any],
    node: Node,
    caller: Caller,
    voice: Voice,
    ids: IdSource,
    workspace: Workspace,
) -> Spawn:
    """Make a spawn below the node out of the method's parameters."""
    parsed = parse_brief(raw.get("brief"), voice.policy.limits)
    role, key = str(raw.get("role", "")), raw.get("idempotencyKey")
    hire = Hire(role, parsed, key)
    hired = await hire_command(hire, node, caller, voice, ids, workspace)
    return replace(hired, allow_overlap=bool(raw.get("allowOverlap")))


class Hire(NamedTuple):
    """Whom a child wants to hire."""

    role: str
    brief: Brief | tuple[FieldFault, ...]
    """As it was read, or what is wrong with it."""
    key: str | None


async def hire_command(
    hire: Hire, node: Node, caller: Caller, voice: Voice, ids: IdSource, workspace: Workspace
) -> Spawn:
    """Make a spawn below the node out of a brief that was read."""
    brief = hire.brief if isinstance(hire.brief, Brief) else None
    paths = await _planned(workspace, node, brief.owned_globs if brief else ())
    return Spawn(
        caller=caller,
        new_id=ids.node_id(),
        parent=node.node_id,
        role=hire.role,
        brief=brief,
        brief_faults=hire.brief if isinstance(hire.brief, tuple) else (),
        paths=paths,
        fingerprint=brief_fingerprint(hire.role, brief) if brief else "",
        key=hire.key,
        **voice.now(),
    )


async def _planned(workspace: Workspace, node: Node, globs: tuple[str, ...]) -> PlannedPaths:
    try:
        owns, faults = await _normal_forms(workspace, node, globs)
    except WorkspaceFault as fault:
        unread = FieldFault(path="brief.ownedGlobs", problem=f"cannot be looked at: {fault}")
        return PlannedPaths(spelled=globs, faults=(unread,))
    return PlannedPaths(owns=owns, spelled=globs, faults=faults)


async def _normal_forms(
    workspace: Workspace, node: Node, globs: tuple[str, ...]
) -> tuple[tuple[str, ...], tuple[FieldFault, ...]]:
    """Look again where nobody could look in time: who is told so over the wire repeats the call."""
    for _ in range(LOOKS):
        try:
            return await workspace.normal_forms(node.workspace, globs)
        except WorkspaceBusy:
            await asyncio.sleep(LOOK_AGAIN_S)
    return await workspace.normal_forms(node.workspace, globs)
