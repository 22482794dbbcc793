"""The tool calls of one agent, by their ids: everything it ever said of each.

What a request for permission says of its call differs from agent to agent, down to nothing but the
id, so what came before is kept and joined. Only names and paths are kept, not what is written.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from subsessiond.adapters.runners.acp.rawinput import PATH_BYTES, acts, input_paths, server_tool_of
from subsessiond.core.bounds import cut_bytes, size_bytes

CALLS_MOST: Final = 128
"""Calls remembered; beyond it those that ended first are forgotten, then the oldest."""

NAMES_MOST: Final = 16
NAME_BYTES: Final = 1_024

PATHS_MOST: Final = 200
"""Files of one call; a call that names more is not granted."""

PATHS_BYTES: Final = 32 * 1024
"""Of all paths of one list of a call: one that names more is not granted either."""

OPEN: Final = ("pending", "in_progress")


class ToolCall:
    """What is known of one call. Of its paths the newest count, of its names and kinds all.

    Why the newest: an agent that streams its model's words names files by halves of their names.
    """

    def __init__(self) -> None:
        self.names: list[str] = []
        """Names and titles, each once; the newest last."""
        self.spelled: list[str] = []
        """Of them those told as names, which are the agent's own words."""
        self.kinds: list[str] = []
        self.is_open = True
        self.server_tool: tuple[str, str] | None = None
        """MCP server and tool, where its newest input names both and nothing else."""
        self.acts = False
        """Whether its input ever named a command, an address or a file."""
        self._inputs: tuple[str, ...] = ()
        self._locations: tuple[str, ...] = ()
        self._diffs: tuple[str, ...] = ()

    def note(self, details: Mapping[str, Any]) -> None:
        """Take in what a message says; what it leaves out stays."""
        for word in ("name", "title"):
            _add(self.names, details.get(word))
        _add(self.spelled, details.get("name"))
        _add(self.kinds, details.get("kind"))
        status = details.get("status")
        if isinstance(status, str):
            self.is_open = status in OPEN
        said = details.get("rawInput")
        if isinstance(said, dict) and said:
            self.server_tool = server_tool_of(said)
            self.acts = self.acts or acts(said)
            self._inputs = _cut(input_paths(said, moves="move" in self.kinds)) or self._inputs
        self._locations = _cut(_rows(details.get("locations"))) or self._locations
        self._diffs = _cut(_rows(details.get("content"), "diff")) or self._diffs

    @property
    def title(self) -> str:
        """The newest name, for people."""
        return self.names[-1] if self.names else ""

    def paths(self) -> tuple[str, ...]:
        """Give every file that its locations, its changes and its input name, each once.

        At most one more than `PATHS_MOST`: then there are too many.
        """
        return _cut(iter((*self._locations, *self._diffs, *self._inputs)))


class ToolCalls:
    """All calls of one session, bounded."""

    def __init__(self) -> None:
        self._calls: dict[str, ToolCall] = {}

    def note(self, details: Mapping[str, Any]) -> ToolCall:
        """Take in what a message says of a call; one without an id is a call of its own."""
        call_id = details.get("toolCallId")
        if not isinstance(call_id, str) or len(call_id) > NAME_BYTES:
            call = ToolCall()
        elif (known := self._calls.get(call_id)) is not None:
            call = known
        else:
            self._make_room()
            call = self._calls[call_id] = ToolCall()
        call.note(details)
        return call

    @property
    def any_open(self) -> bool:
        """Whether a call has begun and not ended."""
        return any(call.is_open for call in self._calls.values())

    def end_all(self) -> None:
        """Count all as ended: the turn is over."""
        for call in self._calls.values():
            call.is_open = False

    def _make_room(self) -> None:
        if len(self._calls) >= CALLS_MOST:
            ended = (name for name, call in self._calls.items() if not call.is_open)
            del self._calls[next(ended, next(iter(self._calls)))]


def _add(kept: list[str], word: Any) -> None:
    """Put a word last; of too many the oldest go. The first one stays where it is."""
    if not isinstance(word, str) or not word.strip():
        return
    short = cut_bytes(word.strip(), NAME_BYTES)
    if short in kept[:1]:
        return
    if short in kept:
        kept.remove(short)
    kept.append(short)
    if len(kept) > NAMES_MOST:
        del kept[1]


def _rows(value: Any, kind: str | None = None) -> Iterator[str]:
    """Give the paths of a list of objects, of one type where it is named."""
    for row in value if isinstance(value, list) else ():
        if isinstance(row, dict) and (kind is None or row.get("type") == kind):
            path = row.get("path")
            if isinstance(path, str):
                yield path


def _cut(paths: Iterator[str]) -> tuple[str, ...]:
    """Keep each path once, and of too many one too many; one that is too long leads nowhere."""
    kept: dict[str, None] = {}
    room = PATHS_BYTES
    for path in paths:
        room -= 0 if path in kept else size_bytes(path)
        kept[path if len(path) <= PATH_BYTES and room >= 0 else ""] = None
        if len(kept) > PATHS_MOST or room < 0:
            break
    return tuple(kept)
