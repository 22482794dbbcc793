"""What the parent of a plan is told: how many steps, what became of each, and what it asked for."""

from collections.abc import Iterable, Sequence

SHOWN = 60
"""Bytes of a reason that are told; a reason is a word of ours."""


def plan_head(counts: Sequence[tuple[str, int]]) -> str:
    """Tell how a plan ended in one line; what there is none of is left out."""
    total = sum(count for _, count in counts)
    said = ", ".join(f"{count} {what}" for what, count in counts if count)
    return f"Plan of {total} step{'' if total == 1 else 's'}: {said}."


def plan_line(step: str, became: str, why: str = "") -> str:
    """Tell what became of one step."""
    return f"- {step}: {became} ({why})" if why else f"- {step}: {became}"


def steps_blocked(count: int) -> str:
    """Tell by how many steps a plan is blocked, where there is no room for what they say."""
    return f"{count} step{'' if count == 1 else 's'}"


def plan_outputs(said: Iterable[tuple[str, str]]) -> str:
    """Tell what steps reported, each under its name."""
    return "\n\n".join(f"{step}:\n{output}" for step, output in said)


def step_answered(mission: str, answer: str) -> str:
    """Tell a step that was blocked what the operator has answered."""
    return f"{mission}\n\n{answer}"
