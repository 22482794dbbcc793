"""Which folder a root is opened on where nobody names one."""

import os
import stat
from pathlib import Path


def workspace_here() -> Path:
    """Give the repository the current folder is in, else the folder.

    Who keeps a home folder in git does not mean all of it, so the way up ends below it, unless one
    stands in it. It also ends below a folder that anybody may write to, such as /tmp.
    """
    here, home = Path.cwd(), os.path.realpath(os.path.expanduser("~"))  # noqa: PTH111  # Path's may raise
    for folder in (here, *here.parents):
        if folder != here and (str(folder) == home or folder.stat().st_mode & stat.S_IWOTH):
            break
        if _is_repository(folder / ".git"):
            return folder
    return here


def _is_repository(git: Path) -> bool:
    """Whether this is a repository's own folder, or the file of a worktree or a submodule."""
    try:
        return git.is_file() or (git / "HEAD").is_file()
    except OSError:  # not ours to read
        return False
