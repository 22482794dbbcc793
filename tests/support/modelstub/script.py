"""Scripts: how they are written into a prompt, found in it, and which step is next."""

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any, Final, NamedTuple

from subsessiond.loopback.reply import Said

MARK: Final = "PLAY:"
WORDS: Final = frozenset(
    {
        *("call", "args", "calls", "text", "repeat", "finish", "usage"),
        *("wait", "error", "times", "retry_after", "chunk", "pace", "cut", "junk"),
        *("take", "until"),
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
    heard: list[str] = []
    for said in conversation:
        if said.role == "tool":
            results.append(said.text)
            heard.append(said.text)
        elif said.role == "user":
            if (found := find_script(said.text)) is not None:
                steps, when, results, heard = found.steps, found.when, [], []
                continue
            heard.append(said.text)
            if (answer := _find_answer(when, said.text)) is not None:
                steps, results = answer, []
    if steps is None:
        return Place(None)
    index = _count_steps(steps, results)
    step = _fill(steps[index], "\n".join(heard)) if index is not None else None
    return Place(step, index, tuple(results), scripted=True)


def _find_answer(
    when: tuple[tuple[str, tuple[Step, ...]], ...], text: str
) -> tuple[Step, ...] | None:
    return next((steps for regex, steps in when if re.search(regex, text)), None)


def _count_steps(steps: tuple[Step, ...], results: list[str]) -> int | None:
    """Give the first step whose calls are not all answered; one without calls ends the turn."""
    at = 0
    for index, step in enumerate(steps):
        width = len(list_calls(step))
        if width == 0:
            return index
        at += width
        while at <= len(results) and _wants_more(step, results[:at]):
            at += width
        if at > len(results):
            return index
    return None


def _wants_more(step: Step, results: list[str]) -> bool:
    return not all(
        any(re.search(regex, result) for result in results) for regex in step.get("until", ())
    )


def _fill(step: Step, heard: str) -> Step:
    """Put what was heard in its places; the newest match of a regex counts.

    Raises:
        ScriptFault: nothing that was heard fits.
    """
    words: dict[str, str] = {}
    for name, regex in step.get("take", {}).items():
        found = re.findall(regex, heard)
        if not found:
            raise ScriptFault(f"nothing that was heard fits {regex!r}")
        words[name] = found[-1]
    return _put_in(step, words) if words else step


def _put_in(value: Any, words: Mapping[str, str]) -> Any:
    if isinstance(value, str):
        for name, word in words.items():
            value = value.replace(f"<{name}>", word)
        return value
    if isinstance(value, list):
        return [_put_in(inner, words) for inner in value]
    if isinstance(value, dict):
        return {name: _put_in(inner, words) for name, inner in value.items()}
    return value


def list_calls(step: Step) -> tuple[tuple[str, Any], ...]:
    """Give the calls of a step: name and arguments."""
    calls = step.get("calls", [step] if "call" in step else [])
    return tuple((call["call"], call.get("args", {})) for call in calls)
