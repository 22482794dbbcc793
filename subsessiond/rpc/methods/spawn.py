"""`subsession.spawn`: a brief becomes a command; everything read from disk is read here."""

from subsessiond.model.brief import Brief, FieldFault
from subsessiond.model.commands import Spawn
from subsessiond.model.ids import NodeId
from subsessiond.model.node import Node
from subsessiond.model.planned import PlannedPaths
from subsessiond.model.rejection import Code, Rejection
from subsessiond.model.view import SpawnAnswer
from subsessiond.ports import WorkspaceBusy, WorkspaceFault
from subsessiond.rpc.call import Call
from subsessiond.rpc.desk import Desk, not_found
from subsessiond.rpc.methods.starting import started
from subsessiond.rpc.projectroles import role_named
from subsessiond.rpc.refused import Refused, not_in_time
from subsessiond.wire.brief import parse_brief
from subsessiond.wire.canonical import brief_fingerprint
from subsessiond.wire.params import SpawnParams


async def spawn(desk: Desk, call: Call, params: SpawnParams) -> SpawnAnswer:
    """Admit a child; answered when that is durable, with `waitMs` when the child runs."""
    parent = _parent(desk, call, params.parent_id)
    if params.argv is not None and not call.caller.is_operator:
        detail = "a command line is the operator's to give"
        raise Refused(Rejection(code=Code.NOT_ALLOWED, step="argv", detail=detail))
    async with desk.lanes.of(parent.node_id):
        command = await _command(desk, call, params, parent)
        waiting = desk.registry.submit(command)
    return await started(desk, call, await waiting, params.wait_ms)


def _parent(desk: Desk, call: Call, node_id: NodeId | None) -> Node:
    """Find the parent: derived for a node, named by the operator."""
    own = call.caller.node_id
    if own is not None:
        if node_id not in (None, own):
            raise not_found()
        return desk.node(own)
    if node_id is None:
        detail = "say under whom (parentId): the operator is no node"
        raise Refused(Rejection(code=Code.NOT_FOUND, step="parent", detail=detail))
    return desk.node(node_id)


async def _command(desk: Desk, call: Call, params: SpawnParams, parent: Node) -> Spawn:
    parsed = parse_brief(params.brief, desk.limits)
    brief = parsed if isinstance(parsed, Brief) else None
    return Spawn(
        new_id=desk.ids.node_id(),
        parent=parent.node_id,
        role=params.role,
        brief=brief,
        brief_faults=parsed if isinstance(parsed, tuple) else (),
        paths=await planned(desk, parent, brief.owned_globs if brief else (), params.role),
        fingerprint=brief_fingerprint(params.role, brief) if brief else "",
        key=params.idempotency_key,
        allow_overlap=bool(params.allow_overlap),
        check_only=bool(params.check_only),
        argv=params.argv or (),
        caller=call.caller,
        **desk.stamps(),
    )


async def planned(desk: Desk, parent: Node, globs: tuple[str, ...], role: str) -> PlannedPaths:
    """Bring patterns to their normal form on the parent's workspace, and read its role there.

    Raises:
        Refused: BUSY - the folder could not be looked at in time.
    """
    project = await role_named(desk, parent, role)
    if not globs:
        return PlannedPaths(project=project)
    try:
        owns, faults = await desk.workspace.normal_forms(parent.workspace, globs)
    except WorkspaceBusy as fault:
        raise not_in_time() from fault
    except WorkspaceFault as fault:
        # Why a fault of the field: the brief's own checks come first and may say more.
        unread = FieldFault(path="brief.ownedGlobs", problem=f"cannot be looked at: {fault}")
        return PlannedPaths(spelled=globs, faults=(unread,), project=project)
    return PlannedPaths(owns=owns, spelled=globs, faults=faults, project=project)
