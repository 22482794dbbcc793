"""What an in-process child says, made into the commands that any client's words would become."""

from typing import Any

from subsessiond.model.brief import Brief
from subsessiond.model.commands import (
    Caller,
    PlannedPaths,
    SaveCheckpoint,
    Spawn,
    SubmitReport,
)
from subsessiond.model.node import Node
from subsessiond.model.report import MalformedReport
from subsessiond.ports import IdSource, Voice, Workspace
from subsessiond.wire.brief import parse_brief
from subsessiond.wire.canonical import brief_fingerprint, report_fingerprint
from subsessiond.wire.checkpoint import checkpoint_size_bytes, parse_checkpoint
from subsessiond.wire.report import parse_report, report_size_bytes


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
    brief = parsed if isinstance(parsed, Brief) else None
    globs = brief.owned_globs if brief else ()
    forms, faults = await workspace.normal_forms(node.workspace, globs)
    role = str(raw.get("role", ""))
    return Spawn(
        caller=caller,
        new_id=ids.node_id(),
        parent=node.node_id,
        role=role,
        brief=brief,
        brief_faults=parsed if isinstance(parsed, tuple) else (),
        paths=PlannedPaths(owns=forms, spelled=globs, faults=faults),
        fingerprint=brief_fingerprint(role, brief) if brief else "",
        key=raw.get("idempotencyKey"),
        **voice.now(),
    )
