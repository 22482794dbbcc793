"""The order a child starts with."""

from typing import Any

from subsessiond.model.base import Value
from subsessiond.model.ids import NodeId
from subsessiond.model.role import Isolation, ToolClass


class FieldFault(Value, frozen=True, kw_only=True):
    """One bad field: where it is and what is wrong, never what stood there."""

    path: str
    problem: str


class ReportContract(Value, frozen=True, kw_only=True):
    """What the parent expects of the child's reports."""

    required_sections: tuple[str, ...] | None = None
    max_report_tokens: int | None = None
    """Bound of one finding or final, in estimated tokens; 50 to 8,000."""
    output_schema: dict[str, Any] | None = None
    """JSON Schema subset that `structured` of a final must satisfy."""


class Brief(Value, frozen=True, kw_only=True):
    """A brief whose fields are valid one by one; `None` means: as the role says."""

    mission: str
    title: str | None = None
    owned_globs: tuple[str, ...] = ()
    token_cap: int | None = None
    depth_allowance: int | None = None
    report_contract: ReportContract = ReportContract()
    verify: tuple[str, ...] | None = None
    continues: NodeId | None = None
    deadline_ms: int | None = None
    isolation: Isolation | None = None
    context: tuple[str, ...] = ()
    preface: str = ""
    """What a role of the workspace says before the mission, as it was accepted; no client gives it.
    """


class Grant(Value, frozen=True, kw_only=True):
    """What the operator allows one successor beyond its parent's means. Never inherited."""

    globs: tuple[str, ...] = ()
    tools: tuple[ToolClass, ...] = ()
    tokens: int = 0
