"""What one line of a program says, by the event map of its profile. Pure."""

from typing import Any

from msgspec.structs import replace

from subsessiond.adapters.runners.jsonl.paths import count_at, fits, found_at, text_at, texts_at
from subsessiond.model.base import Value
from subsessiond.model.eventmap import EventMap, Match
from subsessiond.model.usage import FIGURE_MOST, Usage


class Closing(Value, frozen=True, kw_only=True):
    """What the closing event says of the run."""

    text: str | None = None
    structured: Any | None = None
    is_error: bool = False
    error_text: str = ""
    end: str = ""
    """Why it came, where that is told: one of `ENDS`."""


class Reading(Value, frozen=True, kw_only=True):
    """All that one line says."""

    closing: Closing | None = None
    session: str = ""
    """The name of the conversation."""
    failure: str | None = None
    """Words of an error that need not be the end; empty where the error has none."""
    turn_end: bool = False
    rate_limited: bool = False
    words: tuple[str, ...] = ()
    tools_started: tuple[str, ...] = ()
    """Ids of calls that began; the empty text for one that has none."""
    tools_ended: tuple[str, ...] = ()
    message_id: str = ""
    usage: Usage | None = None
    """Of the message of this id."""
    total: Usage | None = None
    summary: Usage | None = None


def read_line(events: EventMap, raw: dict[str, Any]) -> Reading:
    """Say what a line says; one that the map does not know says nothing."""
    closes = fits(raw, events.closing)
    fails = fits(raw, events.failing)
    spoken = fits(raw, events.words)
    usage = _without(usage_at(events, raw, events.usage), events.usage_without)
    return Reading(
        closing=_closing(events, raw) if closes else None,
        session=text_at(raw, events.session) or "",
        failure=(text_at(raw, *events.error_text) or "") if fails else None,
        turn_end=fits(raw, events.turn_end),
        rate_limited=fits(raw, events.rate_limited),
        words=texts_at(raw, events.words_text) if spoken else (),
        tools_started=_calls(raw, events.tool_start, events.tool_start_id),
        tools_ended=_calls(raw, events.tool_end, events.tool_end_id),
        message_id=(text_at(raw, events.message_id) or "") if usage else "",
        usage=usage,
        total=usage_at(events, raw, events.total),
        summary=usage_at(events, raw, events.summary) if closes else None,
    )


def _closing(events: EventMap, raw: dict[str, Any]) -> Closing:
    data = found_at(raw, events.structured)
    is_error = any(_is_set(value) for path in events.error for value in found_at(raw, path))
    return Closing(
        text=text_at(raw, *events.text),
        structured=data[0] if data else None,
        is_error=is_error,
        error_text=(text_at(raw, *events.error_text) or "") if is_error else "",
        end=next((word for word, match in events.ends if fits(raw, match)), ""),
    )


def _is_set(value: Any) -> bool:
    return value not in (None, False, "", 0, [], {})


def _calls(raw: dict[str, Any], match: Match, id_path: str) -> tuple[str, ...]:
    return (texts_at(raw, id_path) or ("",)) if fits(raw, match) else ()


def _without(usage: Usage | None, figures: tuple[str, ...]) -> Usage | None:
    """Leave out figures; none where nothing else is left."""
    if usage is None:
        return None
    left = replace(usage, **dict.fromkeys(figures))
    return None if left == Usage() else left


def usage_at(events: EventMap, raw: dict[str, Any], path: str) -> Usage | None:
    """Give the usage at a path, in our words; none where no figure of it stands there."""
    for used in found_at(raw, path):
        usage = Usage(
            input=_sum_of(used, events.input),
            cache_read=_sum_of(used, events.cache_read),
            cache_write=_sum_of(used, events.cache_write),
            output=_sum_of(used, events.output),
        )
        if usage != Usage():
            return usage
    return None


def _sum_of(used: Any, names: tuple[str, ...]) -> int | None:
    """Add up what stands at these names, less what stands at those after a `-`.

    Why none where all that is missing is added: what is taken off nothing is no figure.
    """
    total, known = 0, False
    for name in names:
        count = count_at(used, name.removeprefix("-"))
        if count is None or count > FIGURE_MOST:
            continue
        taken_off = name.startswith("-")
        known = known or not taken_off
        total += -count if taken_off else count
    return max(0, total) if known else None
