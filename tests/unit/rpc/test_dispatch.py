import asyncio
import json
from typing import Any

import pytest

from subsessiond.model.commands import Caller
from subsessiond.rpc.call import Call
from subsessiond.rpc.dispatch import BATCH_MOST, Dispatcher
from subsessiond.wire.errors import error_object
from tests.support.answers import OPERATOR, REFUSAL, SECRET, Answers, quiet_log

NODE = "0" * 26
CALL = Call(OPERATOR)
OK = {"ok": True, "seq": 7}


@pytest.fixture
def answers() -> Answers:
    """Give methods with a memory."""
    return Answers()


@pytest.fixture
def log() -> Any:
    """Give a log that remembers."""
    return quiet_log()


@pytest.fixture
def dispatcher(answers: Answers, log: Any) -> Dispatcher:
    """Give a dispatcher over them."""
    return Dispatcher(answers.handlers(), log)


def call(method: str, params: Any = None, **more: Any) -> dict[str, Any]:
    """Make a call."""
    given = {} if params is None else {"params": params}
    return {"jsonrpc": "2.0", "method": method, **given, **more}


async def ask(dispatcher: Dispatcher, message: Any) -> Any:
    """Send one message; give the answer, or none."""
    raw = message if isinstance(message, bytes) else json.dumps(message).encode()
    reply = await dispatcher.handle(raw, CALL)
    return None if reply is None else json.loads(reply)


@pytest.mark.parametrize("call_id", [1, 0, "x", None, 1.5, -3, "x" * 100_000])
async def test_a_call_is_answered_under_its_id(dispatcher: Dispatcher, call_id: Any) -> None:
    """Any id of the specification comes back as it went; null is one of them."""
    assert await ask(dispatcher, call("daemon.health", id=call_id)) == {
        "jsonrpc": "2.0",
        "result": OK,
        "id": call_id,
    }


@pytest.mark.parametrize("params", [{}, []])
async def test_empty_parameters_are_none(dispatcher: Dispatcher, params: Any) -> None:
    """A method that takes nothing takes it in any shape."""
    reply = await ask(dispatcher, call("daemon.health", params, id=1))
    assert reply["result"] == OK


async def test_a_notification_runs_and_is_not_answered(
    dispatcher: Dispatcher, answers: Answers
) -> None:
    """Without an id nothing is said, not even that it failed."""
    steer = {"nodeId": NODE, "text": "t"}
    assert await ask(dispatcher, call("subsession.steer", steer)) is None
    assert answers.begun == ["t"]
    assert await ask(dispatcher, call("subsession.steer", {"nodeId": 1})) is None
    assert await ask(dispatcher, call("daemon.info")) is None
    assert await ask(dispatcher, call("no.such.method")) is None
    assert await ask(dispatcher, rb'{"jsonrpc":"2.0","method":"m","params":{"a":"\ud800"}}') is None
    assert answers.begun == ["t"]


@pytest.mark.parametrize("message", [1, None, "x", {}, {"jsonrpc": "2.0"}, call("m", "x", id=1)])
async def test_what_is_no_call_is_an_invalid_request(dispatcher: Dispatcher, message: Any) -> None:
    """JSON that is no call gets a reply under its id where it has a valid one."""
    reply = await ask(dispatcher, message)
    assert (reply["error"]["code"], reply["error"]["message"]) == (-32600, "invalid request")
    assert reply["id"] == (message.get("id") if isinstance(message, dict) else None)


@pytest.mark.parametrize("raw", [b"", b"{", b'{"a":NaN}', b"[" * 10_000 + b"]" * 10_000])
async def test_what_is_no_json_is_a_parse_error(dispatcher: Dispatcher, raw: bytes) -> None:
    """The answer to unreadable bytes has a null id."""
    reply = await ask(dispatcher, raw)
    assert (reply["error"]["code"], reply["id"]) == (-32700, None)


async def test_bad_text_is_named_with_field_and_id(dispatcher: Dispatcher) -> None:
    """An unpaired surrogate in a parameter is a bad parameter of that call."""
    raw = rb'{"jsonrpc":"2.0","method":"subsession.steer","params":{"text":"\ud800"},"id":5}'
    reply = await ask(dispatcher, raw)
    assert (reply["id"], reply["error"]["code"]) == (5, -32602)
    assert reply["error"]["data"]["fields"] == [{"path": "text", "problem": "is not valid UTF-8"}]


async def test_bad_text_in_an_id_is_an_invalid_request(dispatcher: Dispatcher) -> None:
    """An id that cannot be sent back is not sent back."""
    reply = await ask(dispatcher, rb'{"jsonrpc":"2.0","method":"m","id":"\ud800"}')
    assert (reply["id"], reply["error"]["code"]) == (None, -32600)


async def test_bad_text_in_a_batch_is_named_by_its_place(dispatcher: Dispatcher) -> None:
    """A batch that cannot be read is refused whole, by one answer."""
    raw = rb'[{"jsonrpc":"2.0","method":"m","id":1,"params":{"text":"\ud800"}}]'
    reply = await ask(dispatcher, raw)
    assert (reply["id"], reply["error"]["code"]) == (None, -32700)
    assert reply["error"]["data"]["fields"][0]["path"] == "[0].params.text"


async def test_an_unknown_method_is_not_repeated(dispatcher: Dispatcher) -> None:
    """The answer says that there is none, and not its name."""
    reply = await ask(dispatcher, call("hunter2", {}, id=1))
    assert reply["error"] == {"code": -32601, "message": "method not found"}


async def test_parameters_go_by_name(dispatcher: Dispatcher) -> None:
    """A list of them is refused with a sentence."""
    reply = await ask(dispatcher, call("subsession.steer", [NODE, "x"], id=1))
    assert reply["error"]["code"] == -32602
    assert "by name" in reply["error"]["data"]["fields"][0]["problem"]


@pytest.mark.parametrize("name", ["self", "call", "context", "args", "kwargs", "func", "request"])
async def test_no_parameter_name_has_a_meaning_in_python(dispatcher: Dispatcher, name: str) -> None:
    """An unknown field is refused as one, whatever it is called."""
    reply = await ask(dispatcher, call("daemon.health", {name: 1}, id=None))
    assert reply["error"]["data"]["fields"] == [{"path": name, "problem": "is not a known field"}]


async def test_a_refusal_is_data(dispatcher: Dispatcher) -> None:
    """What a method refuses is answered by its canonical code."""
    for call_id in (1, None):  # the short way and the long way
        reply = await ask(dispatcher, call("daemon.stats", {}, id=call_id))
        assert reply["error"] == error_object(REFUSAL)


@pytest.mark.scenario("S38")
@pytest.mark.parametrize("method", ["daemon.info", "agents.list"])
async def test_a_bug_leaks_nothing(dispatcher: Dispatcher, log: Any, method: str) -> None:
    """The client gets an incident id; the log has it too, with the story."""
    for call_id in (1, None):
        reply = await ask(dispatcher, call(method, {}, id=call_id))
        assert reply["error"]["message"] == "internal error"
        incident = reply["error"]["data"]["incident"]
        assert reply["error"]["data"] == {"incident": incident}
        assert SECRET not in json.dumps(reply)
        entry = log._logger.calls[-1]  # noqa: SLF001 - the capturing logger below the wrapper
        assert entry.kwargs["incident"] == incident
        assert entry.kwargs["method"] == method


async def test_a_result_may_be_written_before(dispatcher: Dispatcher) -> None:
    """Raw JSON goes out as it is, by both ways."""
    for call_id in (1, None):
        reply = await ask(dispatcher, call("roles.list", {}, id=call_id))
        assert reply["result"] == {"roles": [], "more": 0}


async def test_each_element_of_a_batch_gets_its_own_answer(dispatcher: Dispatcher) -> None:
    """A call, a notification, garbage and a repeated id: three replies, in their order."""
    batch = [
        call("daemon.health", id=1),
        call("daemon.health"),
        7,
        call("daemon.stats", {}, id=1),
        [],
    ]
    replies = await ask(dispatcher, batch)
    assert [one.get("error", {}).get("code") for one in replies] == [None, -32600, 9003, -32600]
    assert [one["id"] for one in replies] == [1, None, 1, None]


async def test_a_batch_of_notifications_gets_nothing(
    dispatcher: Dispatcher, answers: Answers
) -> None:
    """They run, and not even an empty list is said."""
    steer = [call("subsession.steer", {"nodeId": NODE, "text": str(i)}) for i in range(3)]
    assert await ask(dispatcher, steer) is None
    assert answers.begun == ["0", "1", "2"]


async def test_an_empty_batch_is_an_invalid_request(dispatcher: Dispatcher) -> None:
    """It gets one answer and no list."""
    reply = await ask(dispatcher, [])
    assert (reply["error"]["code"], reply["id"]) == (-32600, None)


async def test_a_batch_has_a_bound(dispatcher: Dispatcher, answers: Answers) -> None:
    """A hundred calls pass; one more, and none of them runs."""
    steer = [call("subsession.steer", {"nodeId": NODE, "text": "t"}, id=1)] * BATCH_MOST
    assert len(await ask(dispatcher, steer)) == BATCH_MOST
    answers.begun.clear()
    reply = await ask(dispatcher, [*steer, steer[0]])
    assert reply["error"]["data"]["limit"] == BATCH_MOST
    assert answers.begun == []


async def test_calls_of_a_batch_begin_in_order_and_run_side_by_side(
    dispatcher: Dispatcher, answers: Answers
) -> None:
    """One that waits keeps its place in the answer and holds nobody up."""
    nodes = [str(i) * 26 for i in range(3)]
    batch = [call("subsession.cancel", {"nodeId": node}, id=node) for node in nodes]
    task = asyncio.create_task(ask(dispatcher, [*batch, call("daemon.health", id=9)]))
    for _ in range(10):  # turns of the loop: all that can run without the gate has run
        await asyncio.sleep(0)
    assert answers.begun == nodes
    answers.gate.set()
    assert [one["id"] for one in await task] == [*nodes, 9]


async def test_an_unknown_caller_is_refused_call_by_call(
    dispatcher: Dispatcher, answers: Answers
) -> None:
    """Each call gets the refusal under its id, notifications get none, and nothing runs."""
    steer = call("subsession.steer", {"nodeId": NODE, "text": "t"})
    raw = json.dumps([steer | {"id": 1}, steer, 7]).encode()
    replies = json.loads(dispatcher.refuse(raw, REFUSAL) or b"")
    assert [(one["id"], one["error"]["code"]) for one in replies] == [(1, 9003), (None, 9003)]
    assert dispatcher.refuse(json.dumps(steer).encode(), REFUSAL) is None
    assert json.loads(dispatcher.refuse(b"{", REFUSAL) or b"")["error"]["code"] == -32700
    assert json.loads(dispatcher.refuse(b"[]", REFUSAL) or b"")["error"]["code"] == 9003
    assert answers.begun == []


@pytest.mark.scenario("S35")
async def test_a_report_that_is_too_large_and_malformed_is_too_large(
    dispatcher: Dispatcher,
) -> None:
    """Size is judged first, though the output is no text."""
    report = {"stage": "final", "output": 7, "junk": "x" * 1_000_000}
    reply = await ask(dispatcher, call("subsession.report", report, id=1))
    assert reply["error"]["data"]["code"] == "REPORT_TOO_LARGE"


async def test_the_caller_reaches_the_method() -> None:
    """A method is told who calls."""
    seen: list[Caller] = []

    async def health(call: Call, _params: Any) -> dict[str, Any]:
        seen.append(call.caller)
        return {}

    await ask(Dispatcher({"daemon.health": health}, quiet_log()), call("daemon.health", id=1))
    assert seen == [OPERATOR]
