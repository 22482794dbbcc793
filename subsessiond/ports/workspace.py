"""Folders, as they are on disk."""

from typing import Protocol

from subsessiond.model.brief import FieldFault
from subsessiond.model.projectrole import RoleFile


class Workspace(Protocol):
    """Folders, as they are on disk."""

    async def open(self, path: str) -> str:
        """Give a workspace's one name: absolute, links resolved.

        Raises:
            WorkspaceFault: no such folder, not a folder, or not allowed; says why, not which.
            WorkspaceBusy: it could not be looked at, or not in time.
        """

    async def normal_forms(
        self, workspace: str, patterns: tuple[str, ...]
    ) -> tuple[tuple[str, ...], tuple[FieldFault, ...]]:
        """Bring patterns to their normal form on this disk (links in literal prefixes resolved).

        Returns:
            Normal forms in order (empty text where faulty) and faults at `brief.ownedGlobs[i]`.
        """

    async def role_files(self, workspace: str) -> tuple[RoleFile, ...]:
        """Read the files of a workspace that may describe roles; none where it has no such folder.

        Raises:
            WorkspaceFault: the folder is there and cannot be read, or not in time.
        """
