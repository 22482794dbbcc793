"""What a model says, in no endpoint's words, and how asking it can fail."""

from collections.abc import Callable
from enum import StrEnum
from typing import Any, Protocol

from subsessiond.model.base import Value
from subsessiond.model.usage import Usage
from subsessiond.ports import OfferedTool


class Stop(StrEnum):
    """Why an answer is over."""

    END = "end"
    LENGTH = "length"
    REFUSAL = "refusal"


class Call(Value, frozen=True, kw_only=True):
    """One use of a tool."""

    call_id: str
    name: str
    arguments: dict[str, Any] | None
    """None = what was written is no JSON object."""


class Said(Value, frozen=True, kw_only=True):
    """One answer of a model."""

    text: str = ""
    calls: tuple[Call, ...] = ()
    stop: Stop = Stop.END


class ModelFault(Exception):
    """A request came to nothing.

    Args:
        words: what the endpoint or the library said; may hold anything.
        status: of HTTP, where there was an answer.
        retry_after_ms: the time it asked for, where it did.
        lasting: whether the same request would come to the same.
    """

    def __init__(
        self,
        words: str,
        *,
        status: int | None = None,
        retry_after_ms: int | None = None,
        lasting: bool = False,
    ) -> None:
        super().__init__(words)
        self.words = words
        self.status = status
        self.retry_after_ms = retry_after_ms
        self.lasting = lasting


class Speaker(Protocol):
    """One conversation with one model."""

    def hear(self, text: str) -> None:
        """Add what is said to it; it is read with the next request."""

    def answer(self, call: Call, text: str) -> None:
        """Add what a tool answered."""

    async def ask(self, on_piece: Callable[[], None]) -> Said:
        """Send all there is and read the answer, which becomes part of the conversation.

        Args:
            on_piece: called with each piece of the answer that comes.

        Raises:
            ModelFault: there is no answer; the conversation is as it was.
        """

    async def aclose(self) -> None:
        """Give back its connections."""


class Endpoint(Value, frozen=True, kw_only=True):
    """Which model is asked, and how."""

    url: str
    model: str
    dialect: str
    key: str

    def __repr__(self) -> str:
        """Name it without its key."""
        return f"Endpoint({self.model!r} at {self.url!r})"


Measure = Callable[[str, Usage], None]
"""Takes what one answer, by its name, has used."""

OpenSpeaker = Callable[[Endpoint, tuple[OfferedTool, ...], Measure], Speaker]
