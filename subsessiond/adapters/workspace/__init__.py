"""Workspaces as they are on disk: `disk` looks at them in time, `rolefiles` reads their roles."""

from subsessiond.adapters.workspace.disk import DiskWorkspace

__all__ = ["DiskWorkspace"]
