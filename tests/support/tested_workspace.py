"""The real workspace, which meets the fault that a test wants."""

from subsessiond.adapters.workspace import DiskWorkspace
from subsessiond.model.brief import FieldFault
from subsessiond.model.projectrole import RoleFile
from subsessiond.ports import WorkspaceFault


class TestedWorkspace(DiskWorkspace):
    """The real one, until a test says what it meets."""

    fault: WorkspaceFault | None = None

    async def open(self, path: str) -> str:
        """Give a workspace's one name, or meet the fault."""
        if self.fault is not None:
            raise self.fault
        return await super().open(path)

    async def normal_forms(
        self, workspace: str, patterns: tuple[str, ...]
    ) -> tuple[tuple[str, ...], tuple[FieldFault, ...]]:
        """Bring patterns to their normal form, or meet the fault."""
        if self.fault is not None:
            raise self.fault
        return await super().normal_forms(workspace, patterns)

    async def role_files(self, workspace: str) -> tuple[RoleFile, ...]:
        """Read the files of roles, or meet the fault."""
        if self.fault is not None:
            raise self.fault
        return await super().role_files(workspace)
