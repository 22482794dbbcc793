"""How a refused tool call is told: what is wrong, and exactly what to change."""

from subsessiond.core.bounds import cut_bytes, size_bytes
from subsessiond.model.base import Value
from subsessiond.model.brief import FieldFault

FIELDS_BYTES = 2_000
"""Of a refusal's text, for all its fields; the data beside it has the rest."""

MESSAGE_BYTES = 2_000
PATHS_BYTES = 1_000

NOT_A_TOOL = "is not a tool of this server"
NOT_JSON_TEXT = 'must be JSON text, such as {"rows": 3}'
NOT_A_SECTION = 'must be written "name: text"'
TWICE = "names a section that another entry names too"

MORE_FIELDS = "More fields are wrong too."

_QUOTED = (
    ("must be an integer", "must be an integer: write the number without quotes"),
    ("must be true or false", "must be true or false, without quotes"),
    ("must be true", "must be true, without quotes"),
    ("must be a list", "must be a list: put the text in brackets, though it is only one"),
)


class Refusal(Value, frozen=True, kw_only=True):
    """What is told of a refusal besides its data."""

    message: str
    fields: tuple[FieldFault, ...] = ()
    more: bool = False
    """Whether more fields are wrong than are named."""
    limit: int | None = None
    actual: int | None = None
    retry_after_ms: int | None = None
    sibling: str | None = None
    paths: tuple[str, ...] = ()
    roles: tuple[str, ...] = ()
    """Names of the roles there are, when one was named that is not."""
    known: tuple[str, ...] = ()
    """Names of the parameters there are, when one was given that is not."""


def quoted(fault: FieldFault) -> FieldFault:
    """Say of a field that was given as text what to write instead."""
    said = next((more for plain, more in _QUOTED if fault.problem == plain), fault.problem)
    return FieldFault(path=fault.path, problem=said)


def refusal_text(refusal: Refusal) -> str:
    """Tell a model why its call was refused, and what to do."""
    parts = [f"Refused: {cut_bytes(refusal.message, MESSAGE_BYTES)}."]
    parts += _fields(refusal.fields, more=refusal.more)
    if refusal.known:
        parts.append(f"The parameters are: {', '.join(refusal.known)}.")
    if refusal.roles:
        parts.append(f"The roles are: {cut_bytes(', '.join(refusal.roles), PATHS_BYTES)}.")
    if refusal.limit is not None:
        actual = "" if refusal.actual is None else f", this is {refusal.actual}"
        parts.append(f"The limit is {refusal.limit}{actual}.")
    parts += _others(refusal)
    if refusal.retry_after_ms is not None:
        parts.append(f"Try again after {refusal.retry_after_ms} ms.")
    return " ".join(parts)


def _others(refusal: Refusal) -> list[str]:
    """Tell who and which paths are concerned, as far as the message does not name them itself."""
    named = frozenset(word.strip(",;:.") for word in refusal.message.split())
    sibling = refusal.sibling if refusal.sibling not in named else None
    paths = [path for path in dict.fromkeys(refusal.paths) if path not in named]
    said = [f"The other one is {sibling}."] if sibling is not None else []
    return [*said, f"Paths: {cut_bytes(', '.join(paths), PATHS_BYTES)}."] if paths else said


def _fields(faults: tuple[FieldFault, ...], *, more: bool) -> list[str]:
    """Tell as many fields as fit, and whether there are more."""
    said: list[str] = []
    room = FIELDS_BYTES
    for fault in faults:
        sentence = f"{fault.path}: {fault.problem}." if fault.path else f"{fault.problem}."
        room -= size_bytes(sentence) + 1
        if room < 0:
            break
        said.append(sentence)
    return [*said, MORE_FIELDS] if more or len(said) < len(faults) else said
