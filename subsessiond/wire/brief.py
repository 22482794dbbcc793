"""Reads a brief, naming every bad field at once."""

from typing import Annotated, Any, Literal

from pydantic import Field

from subsessiond.model.brief import Brief, FieldFault, ReportContract
from subsessiond.model.policy import Limits
from subsessiond.model.role import Isolation
from subsessiond.wire.faults import read_fields
from subsessiond.wire.outputschema import schema_faults
from subsessiond.wire.params import Params
from subsessiond.wire.text import (
    CheckName,
    Count,
    Exactly,
    Glob,
    Listed,
    Maybe,
    Mission,
    NodeIdText,
    Pointer,
    Positive,
    SectionName,
    Title,
)


class ContractFields(Params):
    """What the parent expects of the child's reports."""

    required_sections: Maybe[Annotated[Listed[SectionName], Field(max_length=16)]] = None
    """Keys that `sections` of a completed final must have."""
    max_report_tokens: Maybe[Annotated[int, Field(ge=50, le=8_000)]] = None
    """Bound of one finding or final, in estimated tokens."""
    output_schema: Maybe[dict[str, Any]] = None
    """JSON Schema subset that `structured` of a final must satisfy; at most 16 KiB."""


class BriefFields(Params):
    """The order a child starts with. Only `mission` is required; the role fills the rest."""

    brief_version: Maybe[Annotated[Literal[1], Exactly(1)]] = None
    """Version of this shape."""
    mission: Mission
    """What to do, complete in itself."""
    title: Maybe[Title] = None
    """One line for people."""
    owned_globs: Maybe[Annotated[Listed[Glob], Field(max_length=200)]] = None
    """Files the child owns; none = it only reads."""
    token_cap: Maybe[Positive] = None
    """Tokens for the child and everything below it."""
    depth_allowance: Maybe[Count] = None
    """Levels that may grow below it."""
    report_contract: Maybe[ContractFields] = None
    """What its reports must look like."""
    verify: Maybe[Annotated[Listed[CheckName], Field(max_length=16)]] = None
    """`files`, `scope` or names of the operator's checks, run once it is released."""
    continues: Maybe[NodeIdText] = None
    """The settled predecessor whose work goes on."""
    deadline_ms: Maybe[Positive] = None
    """Awake milliseconds after which it is ended."""
    isolation: Maybe[Literal["shared", "worktree"]] = None
    """Where its files are."""
    context: Maybe[Annotated[Listed[Pointer], Field(max_length=16)]] = None
    """Paths or addresses to read; pointers only."""


def parse_brief(raw: Any, limits: Limits) -> Brief | tuple[FieldFault, ...]:
    """Read a brief.

    Args:
        raw: Parsed JSON, as it came.
        limits: Bounds that the operator may have changed.

    Returns:
        The brief, or every bad field by path (`brief.ownedGlobs[3]`), never a value.
    """
    fields = read_fields(BriefFields, raw, "brief")
    faults = fields if isinstance(fields, tuple) else ()
    faults += _more_faults(raw, limits, {fault.path for fault in faults})
    return _brief(fields) if isinstance(fields, BriefFields) and not faults else faults


def _more_faults(raw: Any, limits: Limits, known: set[str]) -> tuple[FieldFault, ...]:
    """Find what depends on configuration or looks inside free JSON."""
    if not isinstance(raw, dict):
        return ()
    found: list[FieldFault] = []
    mission = raw.get("mission")
    if isinstance(mission, str) and "brief.mission" not in known:
        size = len(mission.encode())
        if size > limits.mission_bytes:
            problem = f"is {size} bytes long, more than {limits.mission_bytes}"
            found.append(FieldFault(path="brief.mission", problem=problem))
    contract = raw.get("reportContract")
    schema = contract.get("outputSchema") if isinstance(contract, dict) else None
    if isinstance(schema, dict):
        found.extend(schema_faults(schema, "brief", "reportContract", "outputSchema"))
    return tuple(found)


def _brief(fields: BriefFields) -> Brief:
    contract = fields.report_contract or ContractFields()
    return Brief(
        mission=fields.mission,
        title=fields.title,
        owned_globs=fields.owned_globs or (),
        token_cap=fields.token_cap,
        depth_allowance=fields.depth_allowance,
        report_contract=ReportContract(
            required_sections=contract.required_sections,
            max_report_tokens=contract.max_report_tokens,
            output_schema=contract.output_schema,
        ),
        verify=fields.verify,
        continues=fields.continues,
        deadline_ms=fields.deadline_ms,
        isolation=None if fields.isolation is None else Isolation(fields.isolation),
        context=fields.context or (),
    )
