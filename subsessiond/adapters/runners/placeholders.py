"""Words in braces that stand, in an agent's profile, for what each child has of its own.

Only these words are replaced; all other braces are the text's own. `{edit?yes:no}`, and the same of
every other tool class, stands for what is said where the child may use tools of that class, or not.
`{folders?this}` stands for what is said once for each folder that holds files of the child, with
`@` for its path in quotes.
"""

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from subsessiond.core.permit import WRITES, tools_of
from subsessiond.model.node import Node
from subsessiond.model.role import ToolClass

GRANTED: Final = "granted"

FOLDERS: Final = "folders"

_WORD: Final = re.compile(
    r"\{(workspace|scratch|node|socket|shim_program|shim_args|shim_command|brief|session)\}"
    rf"|\{{({'|'.join(ToolClass)})\?([^{{}}:]*):([^{{}}]*)\}}"
    rf"|\{{{FOLDERS}\?([^{{}}]*)\}}"
)


def words_of(
    node: Node, scratch: Path, socket: str, shim: tuple[str, ...], folders: tuple[str, ...] = ()
) -> dict[str, str]:
    """Give what each word stands for; `brief` and `session` are left to who knows them.

    Args:
        node: the child.
        scratch: its scratch folder.
        socket: path of the daemon's socket.
        shim: command line of our MCP server.
        folders: that hold what it owns.
    """
    return {
        FOLDERS: json.dumps(folders),
        "workspace": node.workspace,
        "scratch": str(scratch),
        "node": node.node_id,
        "socket": socket,
        "shim_program": shim[0] if shim else "",
        "shim_args": json.dumps(list(shim[1:])),
        "shim_command": json.dumps(list(shim)),
        **{tool: GRANTED for tool in ToolClass if _may_use(node, tool)},
    }


def _may_use(node: Node, tool: ToolClass) -> bool:
    """Tell whether a child has any use for tools of a class: who owns no file writes none."""
    return tool in tools_of(node) and (tool not in WRITES or bool(node.owns))


def fill(text: str, words: Mapping[str, str]) -> str:
    """Put in what the words stand for; what is put in is not looked at again."""

    def put(found: re.Match[str]) -> str:
        word, tool, yes, no, each = found.groups()
        if word is not None:
            return words.get(word, found[0])
        if each is not None:
            quoted = (_quoted(path) for path in json.loads(words.get(FOLDERS, "[]")))
            return "".join(each.replace("@", path) for path in quoted)
        return yes if words.get(tool) == GRANTED else no

    return _WORD.sub(put, text)


def _quoted(path: str) -> str:
    """Quote a path as JSON and TOML both read it."""
    return json.dumps(path, ensure_ascii=False).replace("\x7f", "\\u007f")
