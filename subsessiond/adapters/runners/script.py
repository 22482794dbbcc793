"""How a script reads: a JSON file with steps, checked whole before anything of it is played.

`{"steps": [...]}`; each step is an object with one of these keys:

report, checkpoint  parameters of those methods
spawn               `{"role", "brief", …}` as the method takes them, without a parent
waitMail            wait until so many messages are in the mailbox, then acknowledge them all
awaitPrompt         wait until somebody says something to it
write               `{"path", "text"}`: a file of the workspace that the node owns
pauseMs             do nothing for so long
sign                `{"sign", "phase"}`, a sign of life that is telemetry
endTurn             end the turn without ending; the next steps are the next turn
end                 `{"outcome", "stopReason", "reason", "diagnostic"}`, end the run
raise               fail inside the runner with this text
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any, Final, NamedTuple

import msgspec

from subsessiond.model.node import Phase, StopReason
from subsessiond.model.report import Outcome
from subsessiond.ports import ChildOrder, RunnerFault

MOST_BYTES = 8 * 1024 * 1024
"""A script holds every report it sends, each far below this."""


class Step(NamedTuple):
    """One step, checked."""

    verb: str
    value: Any


class Ending(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename="camel"):
    """How a script says that its run ends."""

    outcome: Outcome = Outcome.FAILED
    stop_reason: StopReason = StopReason.ERROR
    reason: str = "ended-without-final"
    diagnostic: str | None = None


class Sign(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A sign of life."""

    sign: str = "scripted"
    phase: Phase | None = None


class Written(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A file to write."""

    path: str
    text: str = ""


class _Script(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    steps: list[dict[str, Any]]


def read_script(order: ChildOrder) -> tuple[Step, ...]:
    """Read the steps of a child: from the file its profile names, else its mission is the script.

    Raises:
        RunnerFault: no such file, or it is no script; says which step and why.
    """
    name = order.profile.name
    try:
        return parse_script(_text(order))
    except (OSError, ValueError) as error:
        raise RunnerFault(f"reading the script of agent {name}: {error}") from None


def _text(order: ChildOrder) -> bytes:
    if not order.profile.command:
        return (order.node.brief.mission if order.node.brief else "").encode()
    path = Path(order.profile.command[0])
    if path.stat().st_size > MOST_BYTES:
        raise ValueError(f"{path} has more than {MOST_BYTES} bytes")
    return path.read_bytes()


def parse_script(text: bytes) -> tuple[Step, ...]:
    """Check a script.

    Raises:
        ValueError: says which step, counted from 1, and why.
    """
    script = msgspec.json.decode(text, type=_Script)
    return tuple(_step(number, step) for number, step in enumerate(script.steps, 1))


def _step(number: int, step: dict[str, Any]) -> Step:
    if len(step) != 1:
        raise ValueError(f"step {number} must have one key, it has {len(step)}")
    ((verb, value),) = step.items()
    check = _CHECKS.get(verb)
    if check is None:
        raise ValueError(f"step {number}: there is no step {verb!r}")
    try:
        return Step(verb, check(value))
    except msgspec.ValidationError as error:
        raise ValueError(f"step {number} ({verb}): {error}") from None


_Count = Annotated[int, msgspec.Meta(ge=0)]


def _as(kind: Any) -> Callable[[Any], Any]:
    return lambda value: msgspec.convert(value, kind)


_CHECKS: Final[Mapping[str, Callable[[Any], Any]]] = MappingProxyType(
    {
        "report": _as(dict[str, Any]),
        "checkpoint": _as(dict[str, Any]),
        "spawn": _as(dict[str, Any]),
        "waitMail": _as(_Count),
        "awaitPrompt": lambda value: value,
        "write": _as(Written),
        "pauseMs": _as(_Count),
        "sign": _as(Sign),
        "endTurn": lambda value: value,
        "end": _as(Ending),
        "raise": _as(str),
    },
)
