"""The tools with which the daemon's own loop lets a model work on files, and what they answer.

Which parameters there are is `adapters.runners.model.table`; a test holds the two together.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from subsessiond.core.words.tools import ToolWords

_PATH = "Path, relative to the workspace."

HAND_WORDS: Final[Mapping[str, ToolWords]] = MappingProxyType(
    {
        "read_file": ToolWords(
            text="Read a text file, or a part of it.",
            fields=(
                ("path", _PATH),
                ("firstLine", "Line to begin with, from 1. Left out: the first."),
                ("lines", "How many lines. Left out: as many as fit into an answer."),
            ),
        ),
        "list_files": ToolWords(
            text="List what lies in a folder; folders end with a slash.",
            fields=(("path", "Folder, relative to the workspace. Left out: the workspace."),),
        ),
        "search_files": ToolWords(
            text="Find a text in the files below a folder; answers with path, line and the line.",
            fields=(
                ("text", "What to look for, as it stands there; no pattern."),
                ("path", "Folder or file. Left out: the workspace."),
            ),
        ),
        "write_file": ToolWords(
            text="Write a whole file that you own; what it held before is gone.",
            fields=(("path", _PATH), ("text", "All that the file is to hold.")),
        ),
        "edit_file": ToolWords(
            text="Replace one piece of text in a file that you own.",
            fields=(
                ("path", _PATH),
                ("old", "The piece as it stands there; it must stand there exactly once."),
                ("new", "What is to stand there instead."),
            ),
        ),
        "delete_file": ToolWords(
            text="Delete a file that you own.",
            fields=(("path", _PATH),),
        ),
        "run_command": ToolWords(
            text=(
                "Run a shell command in the workspace, without a terminal and without input. "
                "Everything it started is ended when it ends."
            ),
            fields=(
                ("command", "The command line."),
                ("timeoutMs", "Milliseconds after which it is ended. Left out: 120000."),
            ),
        ),
    }
)
"""Every tool by its name."""

NO_SUCH_TOOL = "there is no such tool"
NO_OBJECT = "the arguments are not a JSON object"
HALF_CHARACTER = "the arguments hold half a character, or are nested too deep"
NOT_READ_AGAIN = "(cut: this was an answer of {size} bytes; call the tool again if you need it)"


def tool_refused(why: str, blocker: str) -> str:
    """Tell a model that it may not do this, and how to leave it to a person."""
    return (
        f"Refused: {why}. Nobody is there to allow it. If you cannot finish without it, report "
        f"with stage final and outcome blocked, with this blocker: {blocker}"
    )


def bad_call(problem: str) -> str:
    """Tell a model that a call could not be read."""
    return f"Not done: {problem}."


def command_told(how: str, printed: str, *, left_out: int) -> str:
    """Tell how a command ended and the end of what it printed."""
    cut = f"({left_out} bytes before this were left out)\n" if left_out else ""
    return f"{how}\n{cut}{printed}" if printed else f"{how}, it printed nothing"
