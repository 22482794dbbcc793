"""The roles of a workspace, as they stand on its disk and with the operator at this moment."""

import asyncio

from subsessiond.core.projectrole import PREFIX, is_project_role, project_roles
from subsessiond.model.node import Node
from subsessiond.model.projectrole import ProjectRole, RoleState
from subsessiond.ports import WorkspaceFault
from subsessiond.rpc.desk import Desk


async def roles_of(desk: Desk, workspace: str) -> tuple[ProjectRole, ...]:
    """Read and judge all roles of a workspace.

    Raises:
        WorkspaceFault: they cannot be read, or not in time.
        StoreFault: what was accepted cannot be read.
    """
    files = await desk.workspace.role_files(workspace)
    if not files:
        return ()
    accepted = await desk.store.roles.of(workspace)
    # Why a thread: all files together may have megabytes, and others want their turn.
    return await asyncio.to_thread(project_roles, files, desk.registry.policy, accepted)


async def role_named(desk: Desk, node: Node, name: str) -> ProjectRole | None:
    """Give the role of a node's workspace that a spawn names; none where it names none of these.

    Of several files that say they are it the first is given: all of them are refused.
    """
    if not is_project_role(name):
        return None
    try:
        found = await roles_of(desk, node.workspace)
    except WorkspaceFault as fault:
        # Why no fault of the call: the checks before may have more to say.
        return ProjectRole(
            name=name,
            file=name.removeprefix(PREFIX),
            digest="",
            state=RoleState.REFUSED,
            problem=f"it cannot be looked at: {fault}",
        )
    return next((role for role in found if role.name == name), None)
