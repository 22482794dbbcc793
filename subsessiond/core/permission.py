"""Roles and tools: who may be asked to do what."""

from subsessiond.core.bounds import size_bytes
from subsessiond.core.case import SpawnCase
from subsessiond.core.letter import letter_of
from subsessiond.core.words import Terms, opening_of
from subsessiond.model.projectrole import RoleState
from subsessiond.model.rejection import Code, Rejection
from subsessiond.model.role import Channel, Isolation, ToolClass

ARGUMENT_BYTES = 120 * 1024
"""The kernel takes 128 KiB in one argument; a profile may put some words of its own around it."""


def check_role(case: SpawnCase) -> Rejection | None:
    """Refuse a role that is not configured."""
    if case.role is not None or case.command.paths.project is not None:
        return None
    return Rejection(code=Code.ROLE_UNKNOWN, step="role")


def check_role_safe(case: SpawnCase) -> Rejection | None:
    """Refuse a role that breaks a law, or whose agent cannot do what the brief asks."""
    problem = _not_accepted(case) or _unsafe(case)
    return Rejection(code=Code.ROLE_UNSAFE, step="role-safe", detail=problem) if problem else None


def _unsafe(case: SpawnCase) -> str | None:
    role, agent, brief = case.role, case.agent, case.command.brief
    if role is None or brief is None:
        return None
    if agent is None:
        return (
            f"no agent serves the tier {role.tier} of role {role.name}; "
            "name one under [tiers] in agents.toml"
        )
    problems = (
        (
            role.is_leaf and ToolClass.DELEGATE in role.tools,
            f"role {role.name} is a leaf and may not hold the class delegate; mend roles.toml",
        ),
        (
            bool(case.command.argv) and not agent.takes_operator_argv,
            f"agent {agent.name} takes no command line of the caller's; leave argv out",
        ),
        (
            agent.runner == "command" and not (agent.command or case.command.argv),
            f"agent {agent.name} has no command line; the operator gives one with argv",
        ),
        (
            brief.report_contract.output_schema is not None and not agent.takes_schema,
            f"agent {agent.name} cannot answer an output schema; leave outputSchema out",
        ),
        (
            agent.channel is Channel.CLOSING_RESULT and bool(case.required_sections),
            f"agent {agent.name} ends with one text and has no sections; require none",
        ),
        (
            case.isolation is Isolation.WORKTREE,
            "worktree isolation is not built in this version; say isolation: shared",
        ),
        (
            agent.brief_by == "argument" and _opening_bytes(case, agent.channel) > ARGUMENT_BYTES,
            f"brief.mission: agent {agent.name} takes at most {ARGUMENT_BYTES} bytes; name a file",
        ),
    )
    return next((sentence for broken, sentence in problems if broken), None)


def _not_accepted(case: SpawnCase) -> str | None:
    """Say what keeps a role of the workspace from being used; none where nothing does."""
    brought = case.command.paths.project
    if brought is None or case.role is not None:
        return None
    if brought.state is RoleState.REFUSED:
        return f"{brought.file} cannot be a role: {brought.problem}"
    since = " as it is now" if brought.state is RoleState.CHANGED else ""
    return (
        f"the operator has not accepted {brought.file}{since}; "
        f"she can, by subsession roles accept {brought.name}"
    )


def _opening_bytes(case: SpawnCase, channel: Channel) -> int:
    """Measure the text that would be the one argument: mission, pointers, files, letter."""
    before = case.predecessor
    terms = Terms(
        owns=case.command.paths.owns,
        max_report_tokens=case.max_report_tokens,
        required_sections=case.required_sections,
        letter=letter_of(before, case.grant, case.answer) if before else "",
        channel=channel,
        preface=case.role_or_defaults.preface,
    )
    return size_bytes(opening_of(case.command.brief, terms))


def check_tools(case: SpawnCase) -> Rejection | None:
    """Refuse a role that holds a tool class which its parent lacks."""
    role, above = case.role, case.parent.role
    if role is None or above is None:
        return None
    extra = tuple(t for t in role.tools if t not in above.tools and t not in case.grant.tools)
    if not extra:
        return None
    detail = f"its parent has no {', '.join(extra)}"
    return Rejection(code=Code.TOOL_FILTER_REFUSED, step="tools", detail=detail, paths=extra)
