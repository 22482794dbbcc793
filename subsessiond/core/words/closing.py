"""What a parent is told of a child whose closing result could not be its final."""

from subsessiond.core.bounds import one_line
from subsessiond.model.rejection import Rejection

DETAIL_BYTES = 120


def closing_refused(rejection: Rejection) -> str:
    """Tell why; the child cannot be asked again, and its words are not cut for it."""
    parts = [f"Its closing result was refused: {rejection.code.name}."]
    field = next((f"{fault.path} {fault.problem}" for fault in rejection.fields), "")
    said = rejection.detail or field
    if said:
        parts.append(f"{one_line(said, DETAIL_BYTES).rstrip('.')}.")
    if rejection.limit is not None and rejection.actual is not None:
        parts.append(f"Limit {rejection.limit} bytes, it had {rejection.actual}.")
    return " ".join(parts)
