"""Flat arguments of a tool to the parameters of its method, and bad fields back again.

Nothing is guessed: what has two readings is refused with what to write instead. Only what a flat
schema cannot say is read here: data as JSON text, sections as texts.
"""

from collections.abc import Mapping
from typing import Any, Final

from subsessiond.core.words.refusals import NOT_A_SECTION, NOT_JSON_TEXT, TWICE
from subsessiond.model.brief import FieldFault
from subsessiond.rpc.mcp.table import INBOX, REPORT, SPAWN, Tool
from subsessiond.rpc.reading import Unreadable, read_json
from subsessiond.wire.faults import join_path

Arguments = Mapping[str, Any]
Params = dict[str, Any]
Faults = tuple[FieldFault, ...]

_CONTRACT: Final = ("requiredSections", "maxReportTokens", "outputSchema")
_OF_SPAWN: Final = ("role", "allowOverlap", "idempotencyKey", "waitMs", "checkOnly")
_ABOVE: Final = ("brief.reportContract.", "brief.", "params.arguments.")
"""Where the method has what is flat here."""


def read_arguments(tool: Tool, arguments: Arguments) -> Params | Faults:
    """Give the parameters of the tool's method, or every field that cannot be read."""
    if tool is REPORT:
        return _report(arguments)
    if tool is SPAWN:
        return _spawn(arguments)
    if tool is INBOX and arguments.get("acknowledge") is False:
        return {name: value for name, value in arguments.items() if name != "acknowledge"}
    return dict(arguments)


def flat_path(path: str) -> str:
    """Name a bad field as the caller of a tool knows it."""
    if f"{path}." in _ABOVE:
        return "arguments"
    return next((path.removeprefix(above) for above in _ABOVE if path.startswith(above)), path)


def _report(arguments: Arguments) -> Params | Faults:
    params, faults = dict(arguments), list[FieldFault]()
    if isinstance(params.get("structured"), str):
        _read_text(params, "structured", faults)
    if isinstance(params.get("sections"), list):
        params["sections"] = _sections(params["sections"], faults)
    return tuple(faults) or params


def _spawn(arguments: Arguments) -> Params | Faults:
    given, faults = dict(arguments), list[FieldFault]()
    if isinstance(given.get("outputSchema"), str):
        _read_text(given, "outputSchema", faults)
    params: Params = {name: given.pop(name) for name in _OF_SPAWN if name in given}
    contract = {name: given.pop(name) for name in _CONTRACT if name in given}
    brief: Params = {**given, "reportContract": contract} if contract else given
    return tuple(faults) or {**params, "brief": brief}


def _read_text(params: Params, name: str, faults: list[FieldFault]) -> None:
    """Read JSON that was given as text."""
    try:
        raw = params[name].encode()
    except UnicodeEncodeError:
        return  # the method says so of every text
    read = read_json(raw)
    if isinstance(read, Unreadable):
        faults.append(FieldFault(path=name, problem=NOT_JSON_TEXT))
    else:
        params[name] = read


def _sections(entries: list[Any], faults: list[FieldFault]) -> dict[str, Any]:
    """Read sections that were given as texts."""
    sections: dict[str, Any] = {}
    for place, entry in enumerate(entries):
        name, colon, text = entry.partition(":") if isinstance(entry, str) else ("", "", "")
        if not colon:
            faults.append(FieldFault(path=join_path("sections", place), problem=NOT_A_SECTION))
        elif name.strip() in sections:
            faults.append(FieldFault(path=join_path("sections", place), problem=TWICE))
        else:
            sections[name.strip()] = text.strip()
    return sections
