"""What a parent is told of a child that was let no further: its final refused, its tokens spent."""

from subsessiond.core.bounds import one_line
from subsessiond.model.rejection import Rejection

DETAIL_BYTES = 120


def closing_refused(rejection: Rejection) -> str:
    """Tell why; the child cannot be asked again, and its words are not cut for it."""
    return _told(f"Its closing result was refused: {rejection.code.name}.", rejection)


def final_refused(rejection: Rejection, times: int) -> str:
    """Tell why the last one was, of a child that found no fit final."""
    return _told(f"Its final was refused {times} times, at last: {rejection.code.name}.", rejection)


def told_of_cap(spent: int, cap: int, phase: str, next_step: str) -> str:
    """Tell what a child that may spend no more has written down last."""
    told = f"It spent {spent} tokens of {cap} and was stopped."
    if not phase and not next_step:
        return f"{told} It has left no checkpoint."
    return f"{told} Last checkpoint:\nphase: {phase}\nnext step: {next_step}"


def _told(what: str, rejection: Rejection) -> str:
    parts = [what]
    field = next((f"{fault.path} {fault.problem}" for fault in rejection.fields), "")
    said = rejection.detail or field
    if said:
        parts.append(f"{one_line(said, DETAIL_BYTES).rstrip('.')}.")
    if rejection.limit is not None and rejection.actual is not None:
        parts.append(f"Limit {rejection.limit} bytes, it had {rejection.actual}.")
    return " ".join(parts)
