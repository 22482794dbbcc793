"""The folders that hold the files a child owns, for agents whose sandbox knows nothing smaller.

They are real and there: a sandbox lets nobody write into a folder that is to come. What lies in
them beside the child's own files it may not write all the same; such an agent is not kept from it.
"""

import os
from typing import Final

from subsessiond.adapters.runners.ownership import real_path
from subsessiond.adapters.runners.placing import make_folder_inside
from subsessiond.core.permit import WRITES, tools_of
from subsessiond.core.scope import PatternFault, expand, literal_prefix, parse_pattern
from subsessiond.model.node import Node
from subsessiond.ports import ChildOrder

WORD: Final = "{folders?"

HERE: Final = "."


def folders_for(order: ChildOrder) -> tuple[str, ...]:
    """Give the folders of a child, where its agent's profile has any use for them.

    Raises:
        OSError: one cannot be made.
    """
    profile = order.profile
    texts = (*profile.command, *profile.resume, *dict(profile.env).values())
    speaks = any(WORD in text for text in (*texts, *dict(profile.files).values()))
    return owned_folders(order.node) if speaks else ()


def owned_folders(node: Node) -> tuple[str, ...]:
    """Give the absolute paths of the smallest folders that hold all a child owns, none in another.

    A pattern that is sure to lie in a folder that is missing has it made.

    Raises:
        OSError: one cannot be made.
    """
    if not any(tool in tools_of(node) for tool in WRITES):
        return ()
    base = os.path.realpath(node.workspace)
    found = {_folder_of(node.workspace, base, text) for own in node.owns for text in _parts(own)}
    kept: list[str] = []
    for folder in sorted(folder for folder in found if folder):
        if not any(folder == above or folder.startswith(f"{above}/") for above in kept):
            kept.append(folder)
    return tuple(kept)


def _parts(own: str) -> tuple[str, ...]:
    """Take the braces apart: each alternative may lie in a folder of its own."""
    pattern = parse_pattern(own)
    if isinstance(pattern, PatternFault):
        return ()
    return tuple(part.text for part in expand(pattern))


def _folder_of(workspace: str, base: str, text: str) -> str:
    """Give the folder of one pattern; empty where a link leads it out of the workspace."""
    names = literal_prefix(text)
    is_plain = len(names) == len(text.split("/"))
    inside = real_path(workspace, "/".join(names) or HERE)
    if inside is None:
        return ""
    if is_plain and inside != HERE and not os.path.isdir(f"{base}/{inside}"):
        inside = os.path.dirname(inside) or HERE
    if inside == HERE:
        return base
    make_folder_inside(workspace, inside)
    return f"{base}/{inside}"
