"""Carries out the calls of a model: our own tools, those on files, and what is neither."""

import asyncio
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from subsessiond.adapters.runners.mailbox import Mailbox
from subsessiond.adapters.runners.model import files
from subsessiond.adapters.runners.model.shell import Shell
from subsessiond.adapters.runners.model.speech import Call
from subsessiond.adapters.runners.model.table import HANDS, fault_of, offered_hands
from subsessiond.adapters.runners.ownership import real_path
from subsessiond.core.permit import Asked, Refusal, permit
from subsessiond.core.words.hands import (
    HALF_CHARACTER,
    NO_OBJECT,
    NO_SUCH_TOOL,
    bad_call,
    tool_refused,
)
from subsessiond.model.node import Node
from subsessiond.ports import ChildTools, OfferedTool

REFUSALS_MOST: Final = 8
"""Told of at a turn's end; more of them say nothing new."""

OUTSIDE: Final = "it lies outside of the workspace"


class Hands:
    """The tools of one child.

    Args:
        node: the child as it was started.
        mailbox: shows the child as it is.
        tools: those by which it speaks to this daemon.
        shell: runs its commands.
    """

    def __init__(self, node: Node, mailbox: Mailbox, tools: ChildTools, shell: Shell) -> None:
        self._node = node
        self._mailbox = mailbox
        self._tools = tools
        self._shell = shell
        self._base = Path(os.path.realpath(node.workspace))
        self._own = tools.offered(node.node_id)
        self._refused: dict[str, Refusal] = {}
        self.unreadable = 0
        """Calls in a row that could not be read."""

    @property
    def offered(self) -> tuple[OfferedTool, ...]:
        """All tools there are for it."""
        return (*self._own, *offered_hands(self._node))

    def take_refusals(self) -> tuple[Refusal, ...]:
        """Give what was refused since the last time."""
        taken = tuple(self._refused.values())
        self._refused.clear()
        return taken

    async def use(self, call: Call) -> str:
        """Do what a call asks for, and give the answer for the model."""
        if call.arguments is None:
            return self._unreadable(NO_OBJECT)
        if not _is_text(call.arguments):
            return self._unreadable(HALF_CHARACTER)
        if any(tool.name == call.name for tool in self._own):
            self.unreadable = 0
            answer = await self._tools.call(self._node.node_id, call.name, call.arguments)
            return answer.text
        if call.name not in HANDS:
            return self._unreadable(NO_SUCH_TOOL)
        if fault := fault_of(call.name, call.arguments):
            return self._unreadable(fault)
        self.unreadable = 0
        return await self._work(call.name, call.arguments)

    def _unreadable(self, problem: str) -> str:
        self.unreadable += 1
        return bad_call(problem)

    async def _work(self, name: str, arguments: dict[str, Any]) -> str:
        if name == "run_command":
            refusal = self._judge(name, (), arguments["command"])
            if refusal is not None:
                return self._refuse(refusal)
            return await self._shell.run(arguments["command"], arguments.get("timeoutMs"))
        try:
            return await asyncio.to_thread(self._touch, name, arguments)
        except files.FileFault as fault:
            return bad_call(str(fault))

    def _touch(self, name: str, arguments: dict[str, Any]) -> str:
        """Work on a file, in a thread: where it really is, is looked at right before."""
        said = arguments.get("path") or "."
        inside = real_path(self._node.workspace, said)
        if refusal := self._judge(name, (inside,), said):
            return self._refuse(refusal)
        if inside is None:
            raise files.FileFault(OUTSIDE)
        return _WORK[name](self._base, inside, arguments)

    def _judge(self, name: str, paths: tuple[str | None, ...], words: str) -> Refusal | None:
        # Why as it is now: a grant does not reach a running child, but nothing else may either.
        node = self._mailbox.node or self._node
        return permit(node, Asked(tool=HANDS[name].counts_as, paths=paths, words=words))

    def _refuse(self, refusal: Refusal) -> str:
        if len(self._refused) < REFUSALS_MOST:
            self._refused.setdefault(refusal.blocker, refusal)
        return tool_refused(refusal.why, refusal.blocker)


def _is_text(arguments: dict[str, Any]) -> bool:
    """Tell whether all that stands there can be written down: JSON can spell what text cannot."""
    try:
        json.dumps(arguments, ensure_ascii=False).encode()
    except (UnicodeEncodeError, RecursionError):
        return False
    return True


_Work = Callable[[Path, str, dict[str, Any]], str]
_WORK: Final[dict[str, _Work]] = {
    "read_file": lambda base, inside, a: files.read_part(
        base / inside, a.get("firstLine") or 1, a.get("lines")
    ),
    "list_files": lambda base, inside, _: files.list_folder(base / inside),
    "search_files": lambda base, inside, a: files.search(base, base / inside, a["text"]),
    "write_file": lambda base, inside, a: files.write_whole(base, inside, a["text"]),
    "edit_file": lambda base, inside, a: files.edit(base, inside, a["old"], a["new"]),
    "delete_file": lambda base, inside, _: files.delete(base, inside),
}
