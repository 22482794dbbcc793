"""What the input of a tool says in the words of many agents: which files, which server and tool.

There is no standard for it. A word that is missing here costs a refusal ("it does not say which
file it writes"), never a grant.
"""

import re
from collections.abc import Iterator
from typing import Any, Final

PATH_BYTES: Final = 4_096
"""The longest path there is on Linux."""

_PATH_WORDS: Final = frozenset(
    (
        *("path", "file_path", "filePath", "filepath", "file", "filename", "fileName", "uri"),
        *("abs_path", "absolute_path", "absolutePath", "target_file", "targetFile"),
        *("notebook_path", "notebookPath"),
    )
)
_MOVE_WORDS: Final = frozenset(
    (
        *("old_path", "oldPath", "new_path", "newPath", "source", "destination"),
        *("src", "dst", "from", "to"),
    )
)
_LIST_WORDS: Final = frozenset(
    ("paths", "files", "edits", "changes", "file_changes", "fileChanges")
)
_SERVER_WORDS: Final = ("server", "server_name", "serverName")
_TOOL_WORDS: Final = ("tool", "tool_name", "toolName")
_BESIDE_WORDS: Final = frozenset(
    ("arguments", "args", "input", "call_id", "callId", "turn_id", "turnId", "started_at_ms")
)
"""What stands beside server and tool where an agent tells of a call, and not a tool of its own."""

_ACTING_WORDS: Final = frozenset(
    (
        *("command", "commands", "cmd", "argv", "script", "code", "url", "urls"),
        *(_PATH_WORDS | _MOVE_WORDS),
    )
)
_PATCH: Final = re.compile(
    r"^\*\*\* (?:(?:Add|Update|Delete) File|Move to): (.+?)\s*$", re.MULTILINE
)
"""Headers of the patch format that several agents' models write."""


def input_paths(said: dict[str, Any], *, moves: bool) -> Iterator[str]:
    """Find the files that a tool's input names.

    Args:
        said: the input.
        moves: whether words such as `from` are paths here.
    """
    words = _PATH_WORDS | _MOVE_WORDS if moves else _PATH_WORDS
    for word, value in said.items():
        if word in words:
            yield from _texts(value)
        elif word in _LIST_WORDS:
            yield from _listed(value, words)
        elif isinstance(value, str) and "*** " in value:
            yield from _PATCH.findall(value)


def server_tool_of(said: dict[str, Any]) -> tuple[str, str] | None:
    """Give MCP server and tool, where the input names both and is nothing else.

    Why nothing else: a model may write these two words into the input of any tool.
    """
    if not set(said) <= {*_SERVER_WORDS, *_TOOL_WORDS, *_BESIDE_WORDS}:
        return None
    server = next((said[word] for word in _SERVER_WORDS if word in said), None)
    tool = next((said[word] for word in _TOOL_WORDS if word in said), None)
    return (server, tool) if isinstance(server, str) and isinstance(tool, str) else None


def acts(said: dict[str, Any]) -> bool:
    """Tell whether an input has words that none of our own tools takes: a command, a file."""
    return not _ACTING_WORDS.isdisjoint(said)


def _listed(value: Any, words: frozenset[str]) -> Iterator[str]:
    """Find paths in a list of texts or objects, or as the names of an object."""
    if isinstance(value, dict):
        yield from value
    for row in value if isinstance(value, list) else ():
        yield from _texts(row)
        if isinstance(row, dict):
            for word in words.intersection(row):
                yield from _texts(row[word])


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
