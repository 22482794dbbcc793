"""Words in braces that stand, in an agent's profile, for what each child has of its own.

Only these words are replaced; all other braces are the text's own.
"""

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from subsessiond.model.node import Node

_WORD: Final = re.compile(
    r"\{(workspace|scratch|node|socket|shim_program|shim_args|shim_command|brief)\}"
)


def words_of(node: Node, scratch: Path, socket: str, shim: tuple[str, ...]) -> dict[str, str]:
    """Give what each word stands for; `brief` is left to whoever passes it as an argument."""
    return {
        "workspace": node.workspace,
        "scratch": str(scratch),
        "node": node.node_id,
        "socket": socket,
        "shim_program": shim[0] if shim else "",
        "shim_args": json.dumps(list(shim[1:])),
        "shim_command": json.dumps(list(shim)),
    }


def fill(text: str, words: Mapping[str, str]) -> str:
    """Put in what the words stand for; what is put in is not looked at again."""
    return _WORD.sub(lambda found: words.get(found[1], found[0]), text)
