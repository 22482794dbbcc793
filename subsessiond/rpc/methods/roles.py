"""`roles.list` and `subsession.acceptRole`: what a spawn may name."""

from subsessiond.core.views.answers import project_rows, role_rows, room_of
from subsessiond.core.views.measure import fit_items, json_bytes
from subsessiond.model.projectrole import AcceptedRole, ProjectRole, RoleState
from subsessiond.model.rejection import Code, Rejection
from subsessiond.model.view import AcceptAnswer, ProjectRoleRow, RolesAnswer
from subsessiond.ports import WorkspaceFault
from subsessiond.rpc.call import Call
from subsessiond.rpc.desk import Desk
from subsessiond.rpc.methods.open import real_folder
from subsessiond.rpc.projectroles import roles_of
from subsessiond.rpc.refused import Malformed, Refused
from subsessiond.rpc.rights import require_granting
from subsessiond.wire.roles import AcceptRoleParams, RolesParams


async def roles(desk: Desk, call: Call, params: RolesParams) -> RolesAnswer:
    """List the table's roles and those of workspaces."""
    rows = role_rows(desk.registry.policy)
    own = call.caller.node_id
    if own is None:
        folders = await _folders(desk, params.workspace)
        brought = [row for folder in folders for row in await _rows(desk, folder)]
        return RolesAnswer(roles=rows, project=tuple(brought))
    # Why only these: words that nobody has accepted are no model's to read.
    usable = [
        row
        for row in await _rows(desk, desk.node(own).workspace)
        if row.state is RoleState.ACCEPTED
    ]
    room = room_of(desk.limits)
    shown = fit_items(rows, room)
    also = fit_items(usable, room - sum(json_bytes(row) + 1 for row in shown))
    more = len(rows) - len(shown) + len(usable) - len(also)
    return RolesAnswer(roles=shown, project=also, more=more)


async def accept(desk: Desk, call: Call, params: AcceptRoleParams) -> AcceptAnswer:
    """Let a role of a workspace be used: these very bytes, under this name, there."""
    require_granting(call)
    await desk.granting.check(params.passphrase)
    workspace = await real_folder(desk, params.workspace)
    role = _checked(params, await _roles(desk, workspace))
    accepted = AcceptedRole(workspace=workspace, name=role.name, digest=role.digest)
    await desk.store.roles.accept(accepted, desk.clock.wall_ms())
    return AcceptAnswer(
        name=role.name,
        workspace=workspace,
        file=role.file,
        digest=role.digest,
        warnings=role.warnings,
    )


def _checked(params: AcceptRoleParams, roles: tuple[ProjectRole, ...]) -> ProjectRole:
    """Give the role that is to be accepted, if it is what was read before.

    Raises:
        Refused: there is none, it is no role, or its file has changed since.
    """
    role = next((found for found in roles if found.name == params.name), None)
    if role is None:
        detail = f"no file of this workspace names its role {params.name}"
        raise Refused(Rejection(code=Code.ROLE_UNKNOWN, step="role", detail=detail))
    if role.state is RoleState.REFUSED:
        detail = f"{role.file} cannot be a role: {role.problem}"
        raise Refused(Rejection(code=Code.ROLE_UNSAFE, step="role-safe", detail=detail))
    if role.digest != params.digest:
        detail = f"{role.file} is not what was read before: its digest is {role.digest} now"
        raise Refused(Rejection(code=Code.ROLE_UNSAFE, step="digest", detail=detail))
    return role


async def _folders(desk: Desk, named: str | None) -> tuple[str, ...]:
    if named is not None:
        return (await real_folder(desk, named),)
    live = (desk.tree.nodes[root_id] for root_id, is_live in desk.tree.roots.items() if is_live)
    return tuple(sorted({root.workspace for root in live}))


async def _rows(desk: Desk, workspace: str) -> tuple[ProjectRoleRow, ...]:
    """Show the roles of one workspace; of one that cannot be looked at, that it is so."""
    try:
        return project_rows(workspace, await roles_of(desk, workspace))
    except WorkspaceFault as fault:
        unread = ProjectRoleRow(
            name="", workspace=workspace, file="", state=RoleState.REFUSED, problem=str(fault)
        )
        return (unread,)


async def _roles(desk: Desk, workspace: str) -> tuple[ProjectRole, ...]:
    try:
        return await roles_of(desk, workspace)
    except WorkspaceFault as fault:
        raise Malformed("workspace", str(fault)) from fault
