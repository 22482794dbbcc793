"""The tokens Claude Code says it used.

Each message tells what it read, once by its id, though it comes on several lines; what it wrote is
told with the turn's end alone. So both are read: the sum of the messages is right about a turn that
never ended, the sum of the turns about all others, and of each figure the greater one stands.
"""

from subsessiond.adapters.runners.claude.reading import Told
from subsessiond.adapters.runners.meter import Meter
from subsessiond.core.tally import plus
from subsessiond.model.commands import NoteUsage
from subsessiond.model.ids import NodeId
from subsessiond.model.usage import Usage
from subsessiond.ports import Voice


class Metering:
    """Adds up one child's session.

    Args:
        voice: is told new totals.
        node_id: whose they are.
    """

    def __init__(self, voice: Voice, node_id: NodeId) -> None:
        self._voice = voice
        self._node_id = node_id
        self._meter = Meter()
        self._turns: Usage | None = None
        self._told: Usage | None = None

    def take(self, told: Told) -> None:
        """Read the figures of a line, and tell the totals where they have grown."""
        if told.message_id:
            self._meter.message(told.message_id, told.usage)
        if told.end is not None:
            self._turns = plus(self._turns, told.end.usage)
            self._meter.cumulative(self._turns or Usage())
        total = self._meter.total()
        if total is not None and total != self._told:
            self._told = total
            now = self._voice.now()
            self._voice.tell(NoteUsage(node=self._node_id, usage=total, **now))
