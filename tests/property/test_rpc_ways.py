"""The short way and the long way answer alike."""

import asyncio
import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from subsessiond.rpc.call import Call
from subsessiond.rpc.dispatch import Dispatcher
from tests.support.answers import OPERATOR, Answers, quiet_log

METHODS = [
    "daemon.health",
    "daemon.stats",
    "daemon.info",
    "roles.list",
    "agents.list",
    "subsession.steer",
    "subsession.report",
]

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
words = st.sampled_from(["nodeId", "text", "output", "stage", "self", "call", "id", "x y"])
scalars = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | texts
)
values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3)
)
steers = st.fixed_dictionaries({"nodeId": st.just("0" * 26), "text": texts})
params = st.dictionaries(words | texts, values, max_size=4) | steers
ids = texts | st.integers()
calls = st.fixed_dictionaries(
    {"jsonrpc": st.just("2.0"), "method": st.sampled_from(METHODS), "id": ids},
    optional={"params": params},
)
any_messages = st.fixed_dictionaries(
    {},
    optional={
        "jsonrpc": st.sampled_from(["2.0", "1.0", 2]),
        "method": st.sampled_from([*METHODS, "no.such.method"]) | scalars,
        "params": params | values,
        "id": scalars | st.lists(scalars, max_size=1),
        "extra": scalars,
    },
)


def without_incident(reply: bytes) -> Any:
    """Read a reply; incidents differ, as they must."""
    found = json.loads(reply)
    found.get("error", {}).get("data", {}).pop("incident", None)
    return found


def run(work: Any) -> Any:
    """Run to the end without a loop's bookkeeping for each example."""
    with asyncio.Runner() as runner:
        return runner.run(work)


@given(calls)
def test_a_plain_call_is_answered_alike_by_both_ways(message: dict[str, Any]) -> None:
    """Whatever the short way takes, the long way answers in the same words."""
    dispatcher = Dispatcher(Answers().handlers(), quiet_log())
    call = Call(OPERATOR)
    entry = dispatcher._fast.entry(message)  # noqa: SLF001 - the two ways are compared here

    async def both() -> tuple[bytes, bytes | None]:
        assert entry is not None
        short = await dispatcher._fast.answer(entry, message, call)  # noqa: SLF001
        return short, await dispatcher.answer_long(message, call)

    if entry is None:  # an id beyond 2^53-1, or with a NUL: not plain
        assert json.loads(run(dispatcher.answer_long(message, call)))["error"]["code"] == -32600
        return
    short, long = run(both())
    assert long is not None
    assert without_incident(short) == without_incident(long)


@given(any_messages | values | st.lists(any_messages | values, max_size=4))
def test_any_message_gets_the_answer_the_specification_wants(message: Any) -> None:
    """One reply for each call or garbage, none for notifications, each with result or error."""
    dispatcher = Dispatcher(Answers().handlers(), quiet_log())
    raw = json.dumps(message).encode()
    reply = run(dispatcher.handle(raw, Call(OPERATOR)))
    said = [] if reply is None else json.loads(reply)
    replies = said if isinstance(said, list) else [said]
    assert reply is None or isinstance(said, list) == (isinstance(message, list) and message != [])
    for one in replies:
        assert one.keys() in ({"jsonrpc", "result", "id"}, {"jsonrpc", "error", "id"})
    elements = message if isinstance(message, list) and message else [message]
    silent = [one for one in elements if isinstance(one, dict) and is_notification(one)]
    assert len(replies) == len(elements) - len(silent)


def is_notification(message: dict[str, Any]) -> bool:
    """Say whether a message is a valid call without an id, in words of its own."""
    return (
        message.get("jsonrpc") == "2.0"
        and isinstance(message.get("method"), str)
        and isinstance(message.get("params", {}), dict | list)
        and message.keys() <= {"jsonrpc", "method", "params"}
    )
