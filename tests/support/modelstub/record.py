"""What is kept of each request, for tests to ask."""

from dataclasses import dataclass

from subsessiond.loopback.count import Usage


@dataclass(kw_only=True)
class Request:
    """One request and what was answered."""

    api: str
    path: str
    model: str
    raw: bytes
    """Its body as it came."""
    offered: tuple[str, ...] = ()
    results: tuple[str, ...] = ()
    """What tools have answered since the script came."""
    scripted: bool = False
    step: int | None = None
    """Number of the step that was played; None when none was."""
    called: tuple[str, ...] = ()
    said: str = ""
    status: int = 200
    usage: Usage | None = None
    """What the answer told; None where it told none."""
    fault: str = ""
    """Why the script could not be played."""

    @property
    def size(self) -> int:
        """Bytes of its body."""
        return len(self.raw)

    def holds(self, text: str) -> bool:
        """Tell whether a text stands in its body."""
        return text.encode() in self.raw
