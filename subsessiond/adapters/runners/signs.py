"""Signs of life of one child, told as often as anybody needs and not as often as they come."""

import asyncio
from typing import Final

from subsessiond.model.commands import NoteSign
from subsessiond.model.ids import NodeId
from subsessiond.model.node import Phase
from subsessiond.ports import Voice

APART_S: Final = 0.25
"""Between two signs that are told. An agent may send thousands a second, and each told one takes a
turn of the registry; the shortest silence that anybody is retired for is thousands of times longer.
"""


class Signs:
    """Tells the newest sign of a child, at once or after a moment.

    Args:
        voice: hears them.
        node: whose signs they are.
        apart_s: the least time between two.
    """

    def __init__(self, voice: Voice, node: NodeId, apart_s: float = APART_S) -> None:
        self._voice = voice
        self._node = node
        self._apart_s = apart_s
        self._waiting: tuple[str, Phase] | None = None
        self._timer: asyncio.TimerHandle | None = None

    def note(self, sign: str, phase: Phase) -> None:
        """Take a sign; of those that come too fast the last one is told."""
        self._waiting = (sign, phase)
        if self._timer is None:
            self._tell()

    def close(self) -> None:
        """Tell what still waits, and nothing any more."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        self._say()

    def _tell(self) -> None:
        self._timer = None
        if self._waiting is not None:
            self._say()
            self._timer = asyncio.get_running_loop().call_later(self._apart_s, self._tell)

    def _say(self) -> None:
        if self._waiting is not None:
            sign, phase = self._waiting
            self._waiting = None
            now = self._voice.now()
            self._voice.tell(NoteSign(node=self._node, sign=sign, phase=phase, **now))
