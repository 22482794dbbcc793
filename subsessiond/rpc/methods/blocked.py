"""`subsession.blocked`: what waits for a person, and what she does about it."""

from subsessiond.core.letter import letter_of
from subsessiond.core.views.blocked import queued_row
from subsessiond.model.brief import Grant
from subsessiond.model.commands import Dismiss, Release
from subsessiond.model.decision import Accepted
from subsessiond.model.rejection import Code, Rejection
from subsessiond.model.view import BlockedAnswer, LetterAnswer, NodeAnswer, SpawnAnswer
from subsessiond.rpc.call import Call
from subsessiond.rpc.desk import Desk
from subsessiond.rpc.methods.succeed import perform
from subsessiond.rpc.refused import Refused
from subsessiond.rpc.rights import require_granting, require_operator
from subsessiond.wire.params import HandoverParams, NodeParams, NoParams, ReleaseParams


async def blocked(desk: Desk, call: Call, _params: NoParams) -> BlockedAnswer:
    """Show the queue, oldest first."""
    require_operator(call)
    tree = desk.tree
    nodes = (tree.nodes.get(node_id) for node_id in desk.changes.queued)
    rows = [queued_row(tree, node) for node in nodes if node is not None]
    rows.sort(key=lambda row: (row.since_ms or 0, row.node_id))
    return BlockedAnswer(rows=tuple(rows))


async def handover(desk: Desk, call: Call, params: HandoverParams) -> LetterAnswer | SpawnAnswer:
    """Read a handover, or perform it as it is, with an answer, or with a grant."""
    require_operator(call)
    if params.action == "letter":
        node = await desk.any_node(params.node_id)
        mission = node.brief.mission if node.brief is not None else ""
        return LetterAnswer(mission=mission, letter=letter_of(node))
    require_granting(call)
    await desk.granting.check(params.passphrase)
    before = desk.node(params.node_id)
    return await perform(desk, call, before, _grant(params), _answer(desk, params))


async def dismiss(desk: Desk, call: Call, params: NodeParams) -> NodeAnswer:
    """Take a node out of the queue."""
    require_operator(call)
    command = Dismiss(node=params.node_id, caller=call.caller, **desk.stamps())
    await desk.ask(command, Accepted)
    return NodeAnswer(node_id=params.node_id)


async def release(desk: Desk, call: Call, params: ReleaseParams) -> NodeAnswer:
    """Free the claim of a node with leftovers, on the operator's word."""
    require_granting(call)
    await desk.granting.check(params.passphrase)
    command = Release(node=params.node_id, caller=call.caller, **desk.stamps())
    await desk.ask(command, Accepted)
    return NodeAnswer(node_id=params.node_id)


def _grant(params: HandoverParams) -> Grant:
    given = params.grants
    if given is None:
        return Grant()
    return Grant(globs=given.globs or (), tools=given.tools or (), tokens=given.tokens or 0)


def _answer(desk: Desk, params: HandoverParams) -> str | None:
    size, limit = len((params.answer or "").encode()), desk.limits.answer_bytes
    if size > limit:
        raise Refused(
            Rejection(code=Code.MESSAGE_TOO_LARGE, step="answer", limit=limit, actual=size)
        )
    return params.answer
