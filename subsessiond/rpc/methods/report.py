"""`subsession.report`: a child's words are measured and read, then the registry judges them."""

import asyncio

from subsessiond.model.brief import Brief
from subsessiond.model.commands import SubmitReport
from subsessiond.model.decision import Accepted
from subsessiond.model.ids import MessageId, NodeId
from subsessiond.model.report import MalformedReport, Outcome, Report, Stage
from subsessiond.model.view import ReportAnswer
from subsessiond.rpc.call import Call
from subsessiond.rpc.desk import Desk, not_found
from subsessiond.rpc.rights import require_node
from subsessiond.rpc.schema import schema_fault
from subsessiond.wire.canonical import report_fingerprint
from subsessiond.wire.params import ReportParams
from subsessiond.wire.report import parse_report, report_size_bytes


async def report(desk: Desk, call: Call, params: ReportParams) -> ReportAnswer:
    """Take a report of the calling node."""
    node_id = require_node(call)
    if params.node_id not in (None, node_id):
        raise not_found()
    said = parse_report(params.raw)
    fingerprint, size_bytes = _measures(said)
    command = SubmitReport(
        node=node_id,
        report=said,
        fingerprint=fingerprint,
        size_bytes=size_bytes,
        schema_fault=await _schema_fault(desk, node_id, said),
        caller=call.caller,
        **desk.stamps(),
    )
    reply = await desk.ask(command, Accepted)
    return ReportAnswer(
        message_id=reply.message_id or MessageId(""), text=reply.text, already=reply.already
    )


def _measures(said: Report | MalformedReport) -> tuple[str, int]:
    """Give what makes a report the same as another, and its size."""
    if isinstance(said, MalformedReport):
        return "", said.size_bytes
    return report_fingerprint(said), report_size_bytes(said)


async def _schema_fault(desk: Desk, node_id: NodeId, said: Report | MalformedReport) -> str | None:
    """Hold what is or may become a completed final against the brief's schema, off the loop."""
    node = desk.tree.nodes.get(node_id)
    brief: Brief | None = node.brief if node is not None else None
    schema = brief.report_contract.output_schema if brief is not None else None
    if schema is None or not isinstance(said, Report):
        return None
    completes = said.stage is Stage.FINAL and said.outcome is Outcome.COMPLETED
    # Why unnamed ones too: one of them may become the final when the child ends without one.
    if said.explicit and not completes:
        return None
    if said.structured is None:
        return "structured is required by the brief's schema"
    async with desk.judging:
        return await asyncio.to_thread(schema_fault, schema, said.structured)
