"""Roles that a workspace brings along, for tests."""

import hashlib
from pathlib import Path
from typing import Final

from msgspec.structs import replace

from subsessiond.model.projectrole import ProjectRole, RoleState
from subsessiond.model.role import Role

HEAD: Final = "name: rev\ndescription: Reviews.\ntools: Read, Grep"
BODY: Final = "You review what others wrote."


def accepted(base: Role, name: str = "project/rev") -> ProjectRole:
    """Make an accepted role that extends a row and is as wide."""
    role = replace(base, name=name, extends=base.name)
    return ProjectRole(
        name=name, file="rev.md", digest="0" * 64, state=RoleState.ACCEPTED, role=role
    )


def put_role(workspace: Path | str, head: str = HEAD, body: str = BODY, name: str = "rev") -> str:
    """Write a role's file; gives its digest."""
    path = role_path(workspace, name)
    path.parent.mkdir(parents=True, exist_ok=True)
    content = f"---\n{head}\n---\n\n{body}\n".encode()
    path.write_bytes(content)
    return hashlib.sha256(content).hexdigest()


def role_path(workspace: Path | str, name: str = "rev") -> Path:
    """Give where it is."""
    return Path(workspace) / ".claude" / "agents" / f"{name}.md"
