"""Roles that a workspace brings along: what is read of it, and what the operator accepted."""

from enum import StrEnum

from subsessiond.model.base import Value
from subsessiond.model.role import Role


class RoleFile(Value, frozen=True, kw_only=True):
    """One file that may describe a role, as it was read."""

    file: str
    """Path, relative to the workspace."""
    digest: str = ""
    """SHA-256 of its bytes, hexadecimal; empty where it was not read."""
    text: str = ""
    problem: str = ""
    """Why it was not read; empty where it was."""


class RoleState(StrEnum):
    """What may be done with a role of a workspace."""

    ACCEPTED = "accepted"
    CHANGED = "changed"
    """Accepted once, with other words in it."""
    UNACCEPTED = "unaccepted"
    REFUSED = "refused"


class RoleBases(Value, frozen=True, kw_only=True):
    """Which roles of the table those of a workspace extend."""

    writer: str = "worker"
    """Where their tools write or run something."""
    reader: str = "reader"
    """Where these only read."""


class AcceptedRole(Value, frozen=True, kw_only=True):
    """What the operator said yes to: these very bytes under this name, in this workspace."""

    workspace: str
    name: str
    digest: str


class ProjectRole(Value, frozen=True, kw_only=True):
    """One role of a workspace, as it stands now."""

    name: str
    """`project/` and its own name; of a file that gives none, `project/` and that of the file."""
    file: str
    digest: str
    state: RoleState
    description: str = ""
    role: Role | None = None
    """The role of the table that it extends, made narrower; none where it is refused."""
    problem: str = ""
    """Why it is refused."""
    warnings: tuple[str, ...] = ()
    """What of it is not taken."""
