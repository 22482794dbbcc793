"""What the disk says for a spawn, read at the edge so that decisions need not look."""

from subsessiond.model.base import Value
from subsessiond.model.brief import FieldFault
from subsessiond.model.projectrole import ProjectRole


class PlannedPaths(Value, frozen=True, kw_only=True):
    """Patterns in normal form, made at the edge where symlinks can be resolved."""

    owns: tuple[str, ...] = ()
    spelled: tuple[str, ...] = ()
    """As the caller wrote them, in the same order."""
    faults: tuple[FieldFault, ...] = ()
    project: ProjectRole | None = None
    """The role of the workspace that is named, as it stood there; none where there is none."""
