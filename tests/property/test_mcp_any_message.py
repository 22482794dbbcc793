"""Whatever an agent writes, each line gets the answers that JSON-RPC owes it, and no exception."""

import asyncio
import json
from typing import Any, cast

import structlog
from hypothesis import given
from hypothesis import strategies as st

from subsessiond.model.commands import Caller
from subsessiond.model.rejection import Code, Rejection
from subsessiond.rpc.call import Call
from subsessiond.rpc.mcp.messages import id_of, is_response
from subsessiond.rpc.mcp.session import Session
from subsessiond.rpc.mcp.toolbox import Toolbox
from subsessiond.rpc.running import Running


class Tools:
    """Tools that do nothing."""

    log = structlog.get_logger()

    def shown(self, _call: Call) -> list[Any]:
        """None."""
        return []

    def instructions(self, _call: Call) -> None:
        """None."""

    async def call(self, _tool: object, arguments: Any, _call: Call) -> dict[str, Any]:
        """Give back what was given."""
        return {"content": [], "given": arguments}

    def show(self, told: dict[str, Any], _call: Call) -> dict[str, Any]:
        """Nobody counts."""
        return told

    def ride(self, result: dict[str, Any], _call: Call) -> dict[str, Any]:
        """Nothing rides."""
        return result


METHODS = ("initialize", "ping", "tools/list", "tools/call", "server/discover", "x")
scalars = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8)
anything = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner)
)
params = anything | st.fixed_dictionaries(
    {},
    optional={
        "name": st.sampled_from(("report", "subsession_tree", "x")) | anything,
        "arguments": anything,
        "protocolVersion": anything,
        "requestId": anything,
        "_meta": anything
        | st.fixed_dictionaries(
            {},
            optional={
                "progressToken": anything,
                "io.modelcontextprotocol/protocolVersion": st.just("2026-07-28") | anything,
            },
        ),
    },
)
messages = st.fixed_dictionaries(
    {},
    optional={
        "jsonrpc": st.just("2.0") | anything,
        "id": anything,
        "method": st.sampled_from((*METHODS, "notifications/cancelled")) | anything,
        "params": params,
        "result": anything,
    },
)


async def answers_to(session: Session, raw: bytes) -> list[Any]:
    """Give every answer to a line."""
    split = session.split(raw, Call(Caller()))
    replies = [await call for call in split.calls]
    said = split.join(replies) if split.calls else split.ready
    if said is None:
        return []
    parsed = json.loads(said)
    return parsed if isinstance(parsed, list) else [parsed]


@given(st.lists(messages | anything, min_size=1, max_size=4), st.booleans())
def test_every_request_gets_one_answer_and_nothing_else_gets_any(
    given_messages: list[Any], batched: bool
) -> None:
    """One answer under the id of each request, none to notifications and responses; alone or in
    a batch, whatever the members are.
    """
    session = Session(cast("Toolbox", Tools()), Running())
    lines = [given_messages] if batched else given_messages
    for line in lines:
        said = asyncio.run(answers_to(session, json.dumps(line).encode()))
        for answer in said:
            assert answer["jsonrpc"] == "2.0"
            assert ("result" in answer) != ("error" in answer)
        is_batch = isinstance(line, list)
        asked = [
            id_of(one)
            for one in (line if is_batch else [line])
            if not is_response(one) and id_of(one) is not None
        ]
        named = [answer["id"] for answer in said if answer["id"] is not None]
        if "NaN" not in json.dumps(line) and "Infinity" not in json.dumps(line):
            assert named == asked


@given(st.binary(max_size=60) | st.text(max_size=60).map(lambda text: text.encode()))
def test_bytes_that_are_no_message_get_at_most_one_answer(raw: bytes) -> None:
    """Junk is answered or let pass; a refused caller's junk too."""
    session = Session(cast("Toolbox", Tools()), Running())
    assert len(asyncio.run(answers_to(session, raw))) <= 1
    refused = session.refuse(raw, Rejection(code=Code.NOT_ALLOWED, step="identity"))
    assert refused is None or json.loads(refused)["error"]
