"""Time and names."""

from typing import Protocol

from subsessiond.model.ids import NodeId


class Clock(Protocol):
    """Time, for the edge alone."""

    def wall_ms(self) -> int:
        """Milliseconds since 1970."""

    def awake_ms(self) -> int:
        """Milliseconds in which this daemon and the machine were awake; never jumps."""

    async def sleep(self, ms: int) -> None:
        """Return after so many awake milliseconds."""


class IdSource(Protocol):
    """New names."""

    def node_id(self) -> NodeId:
        """A name never given before, later in order than all given before."""

    def token(self) -> str:
        """A secret of at least 128 bits."""
