"""Where a file really is: what a child names is not yet where it writes."""

import os
from pathlib import Path
from urllib.parse import unquote, urlsplit

from subsessiond.core.permit import owns
from subsessiond.model.node import Node
from subsessiond.ports import RunnerFault


def real_path(workspace: str, name: str) -> str | None:
    """Give the real path of a file, relative to the workspace, every link on its way resolved.

    Args:
        workspace: the folder.
        name: as the child wrote it: relative, absolute or a `file:` address.

    Returns:
        The path, `.` for the workspace itself; none where it lies outside or is no path.
    """
    plain = _plain(name)
    if not plain or "\0" in plain:
        return None
    base = os.path.realpath(workspace)
    try:
        real = os.path.realpath(os.path.join(base, plain))
    except (OSError, ValueError):
        return None
    if real == base:
        return "."
    inside = real.removeprefix(base.rstrip("/") + "/")
    return None if inside == real else inside


def owned_file(node: Node, path: str) -> Path:
    """Give the real place of a file, where the node may write it.

    Raises:
        RunnerFault: it lies outside of the workspace, or is none of the files the node owns.
    """
    inside = real_path(node.workspace, path)
    if inside is None:
        raise RunnerFault(f"write {path!r}: it leaves the workspace")
    if not owns(node, inside):
        raise RunnerFault(f"write {path!r}: it is none of the files this node owns")
    return Path(os.path.realpath(node.workspace)) / inside


def _plain(name: str) -> str:
    """Give the path that a name is for everybody; empty where agents read it in two ways.

    Why none for `~`, blanks around it, and addresses with a query or a fragment: what we would take
    for a file of the workspace is, to whoever expands or cuts it, another one.
    """
    if name.startswith("~") or name != name.strip():
        return ""
    scheme, colon, rest = name.partition(":")
    if not colon or not (scheme.lower() == "file" or rest.startswith("//")):
        return name
    if scheme.lower() != "file" or "?" in rest or "#" in rest:
        return ""
    try:
        address = urlsplit(name)
    except ValueError:
        return ""
    return unquote(address.path) if address.netloc in ("", "localhost") else ""
