"""Scripts: how they are written into a prompt, found in it, and which step is next."""

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any, Final, NamedTuple

MARK: Final = "PLAY:"
WORDS: Final = frozenset(
    {
        *("call", "args", "calls", "text", "repeat", "finish", "usage"),
        *("wait", "error", "times", "retry_after", "chunk", "pace", "cut", "junk"),
    }
)
FINISHES: Final = frozenset({"limit", "refusal"})
Step = Mapping[str, Any]


class ScriptFault(Exception):
    """A script cannot be played; says why."""


class Script(NamedTuple):
    """What a message asks to be played."""

    steps: tuple[Step, ...]
    when: tuple[tuple[str, tuple[Step, ...]], ...] = ()
    """Steps for a later message that a regex is found in."""


class Said(NamedTuple):
    """One entry of a conversation, whatever the API calls it."""

    role: str
    """`user`, `assistant` or `tool`."""
    text: str


class Place(NamedTuple):
    """Where a conversation has got to."""

    step: Step | None
    """None: no script, or all of it is played."""
    number: int | None = None
    results: tuple[str, ...] = ()
    """What tools answered since the script came."""
    scripted: bool = False


def script(*steps: Step, when: Mapping[str, Iterable[Step]] | None = None) -> str:
    """Write a script; put it anywhere into a prompt."""
    told = (
        {"steps": steps, "when": {regex: list(s) for regex, s in when.items()}} if when else steps
    )
    return MARK + json.dumps(told)


def find_script(text: str) -> Script | None:
    """Give the last script of a message; one inside another script is part of that.

    Raises:
        ScriptFault: what follows the mark is no script.
    """
    found, at = None, text.find(MARK)
    while at >= 0:
        start = at + len(MARK)
        start += len(text[start:]) - len(text[start:].lstrip())
        try:
            told, end = json.JSONDecoder().raw_decode(text, start)
        except ValueError as fault:
            raise ScriptFault(f"no JSON after {MARK} ({fault})") from fault
        found, at = parse(told), text.find(MARK, end)
    return found


def parse(told: Any) -> Script:
    """Check a script: an unknown word is a mistake in a test, and is told.

    Raises:
        ScriptFault: it is not a script.
    """
    if isinstance(told, list):
        told = {"steps": told}
    if not isinstance(told, dict) or told.keys() - {"steps", "when"}:
        raise ScriptFault("a script is a list of steps, or an object of steps and when")
    when = told.get("when", {})
    return Script(
        tuple(map(_check, told["steps"])),
        tuple((regex, tuple(map(_check, steps))) for regex, steps in when.items()),
    )


def _check(step: Any) -> Step:
    if not isinstance(step, dict) or not step or step.keys() - WORDS:
        raise ScriptFault(f"not a step: {step!r}")
    if step.get("finish", "limit") not in FINISHES:
        raise ScriptFault(f"no such finish: {step['finish']!r}")
    return step


def find_place(conversation: Iterable[Said]) -> Place:
    """Give the step that is next.

    Raises:
        ScriptFault: a message holds something that is no script.
    """
    steps: tuple[Step, ...] | None = None
    when: tuple[tuple[str, tuple[Step, ...]], ...] = ()
    results: list[str] = []
    for said in conversation:
        if said.role == "tool":
            results.append(said.text)
        elif said.role == "user":
            if (found := find_script(said.text)) is not None:
                steps, when, results = found.steps, found.when, []
            elif (answer := _find_answer(when, said.text)) is not None:
                steps, results = answer, []
    if steps is None:
        return Place(None)
    index = _count_steps(steps, len(results))
    step = steps[index] if index is not None else None
    return Place(step, index, tuple(results), scripted=True)


def _find_answer(
    when: tuple[tuple[str, tuple[Step, ...]], ...], text: str
) -> tuple[Step, ...] | None:
    return next((steps for regex, steps in when if re.search(regex, text)), None)


def _count_steps(steps: tuple[Step, ...], results: int) -> int | None:
    """Give the first step whose calls are not all answered; one without calls ends the turn."""
    for index, step in enumerate(steps):
        width = len(list_calls(step))
        if width == 0 or results < width:
            return index
        results -= width
    return None


def list_calls(step: Step) -> tuple[tuple[str, Any], ...]:
    """Give the calls of a step: name and arguments."""
    calls = step.get("calls", [step] if "call" in step else [])
    return tuple((call["call"], call.get("args", {})) for call in calls)
