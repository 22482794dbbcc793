"""The handover letter: a pointer and a few lines, never a transcript."""

from subsessiond.core.bounds import bytes_of_tokens, one_line, size_bytes
from subsessiond.model.brief import Grant
from subsessiond.model.ids import NodeId
from subsessiond.model.node import Node

LETTER_BYTES = bytes_of_tokens(600)

BOUNDS = (
    ("continues", 40),
    ("checkpoint", 120),
    ("predecessor phase", 80),
    ("predecessor handover", 400),
    ("predecessor blockers", 240),
    ("predecessor open questions", 180),
    ("operator answer", 2_048),
    ("grants", 180),
)
"""Lines of the letter in order, with the bytes each may take; the answer takes what is left."""


def checkpoint_pointer(node_id: NodeId, line: int) -> str:
    """Name a line of a node's journal."""
    return f"workspaceFile:.subsession/journals/{node_id}.journal.jsonl#{line}"


def letter_of(node: Node, grant: Grant = Grant(), answer: str | None = None) -> str:  # noqa: B008
    """Write the letter that a successor of this settled node starts with.

    Returns:
        At most 600 estimated tokens: these lines in this order, each only when there is something
        to say.
    """
    said = node.settlement
    mark = node.checkpoint
    values = {
        "continues": f'"{node.node_id}"',
        "checkpoint": checkpoint_pointer(node.node_id, mark.line) if mark else "",
        "predecessor phase": mark.phase if mark else "",
        "predecessor handover": _handover(node),
        "predecessor blockers": "; ".join(said.blockers) if said else "",
        "predecessor open questions": "; ".join(said.open_questions) if said else "",
        "grants": _grants(grant),
    }
    shown = {key: one_line(values.get(key, ""), limit) for key, limit in BOUNDS}
    lines = {key: f"{key}: {text}" for key, text in shown.items() if text}
    if answer and answer.strip():
        room = LETTER_BYTES - size_bytes("\n".join((*lines.values(), "operator answer: ")))
        lines["operator answer"] = f"operator answer: {one_line(answer, room)}"
    return "\n".join(lines[key] for key, _ in BOUNDS if key in lines)


def cuts_answer(letter: str, answer: str | None) -> bool:
    """Tell whether a letter had no room for all of the operator's answer."""
    return answer is not None and " ".join(answer.split()) not in letter


def _handover(node: Node) -> str:
    said = node.settlement
    if said and said.author == "child" and said.output:
        return said.output
    return node.checkpoint.next_step if node.checkpoint else ""


def _grants(grant: Grant) -> str:
    parts = (
        f"files {', '.join(grant.globs)}" if grant.globs else "",
        f"tools {', '.join(grant.tools)}" if grant.tools else "",
        f"{grant.tokens} tokens" if grant.tokens else "",
    )
    return "; ".join(part for part in parts if part)
