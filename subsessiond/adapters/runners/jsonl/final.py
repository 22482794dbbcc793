"""A closing result as the child's final: its own words, whole, under the gates of any report."""

import asyncio
from typing import Any, Final

from msgspec.structs import replace

from subsessiond.adapters.runners.childwords import CheckSchema, report_command, schema_of
from subsessiond.adapters.runners.jsonl.course import Spoken
from subsessiond.adapters.runners.jsonl.reading import Closing
from subsessiond.model.commands import Caller, SubmitReport
from subsessiond.model.node import Node
from subsessiond.model.rejection import Code, Rejection
from subsessiond.ports import Voice

PASSING: Final = (Code.STORE_UNAVAILABLE, Code.BUSY)
"""Refusals that say nothing of the report."""

AGAIN_S: Final = 0.5
AGAIN_MOST: Final = 60
"""Half a minute: a disk that is full for longer loses the result as it loses everything."""


async def final_of(
    closing: Closing, spoken: Spoken, node: Node, voice: Voice, check_schema: CheckSchema
) -> SubmitReport:
    """Make the child's final of its closing text, or of its last words where that has none."""
    text = spoken.text if closing.text is None else closing.text
    raw: dict[str, Any] = {"stage": "final", "outcome": "completed", "output": text}
    if closing.structured is not None:
        raw["structured"] = closing.structured
    caller = Caller(node_id=node.node_id, why="its closing event")
    command = report_command(raw, node, caller, voice)
    if closing.text is None:
        # Why: last words that were too many to be kept are too many to be accepted, too.
        command = replace(command, size_bytes=max(command.size_bytes, spoken.bytes_said))
    schema = schema_of(node, command.report)
    if schema is None:
        return command
    fault = await asyncio.to_thread(check_schema, schema.schema, schema.value)
    return schema.judged(command, fault)


async def submit(command: SubmitReport, voice: Voice, again_s: float = AGAIN_S) -> Rejection | None:
    """Say a final, again and again where only the store or the moment is against it.

    Returns:
        Why it was refused; none where it was accepted.
    """
    answer = await voice.submit(command)
    for _ in range(AGAIN_MOST):
        if not isinstance(answer, Rejection) or answer.code not in PASSING:
            break
        await asyncio.sleep(again_s)
        answer = await voice.submit(replace(command, **voice.now()))
    return answer if isinstance(answer, Rejection) else None
