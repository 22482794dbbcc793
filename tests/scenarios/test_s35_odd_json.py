"""S35: odd JSON-RPC, legal or not, gets the answer the standard gives it, and harms nothing.

Raw bytes to a real daemon, over HTTP and over a WebSocket; `integration/rpc/test_odd_input.py` has
more of them against the transport alone.
"""

import json
from collections.abc import Iterator
from typing import Any, Final, Protocol

import pytest

from tests.support.closing import check_closing, descriptors
from tests.support.daemon import Daemon
from tests.support.rawsocket import RawSocket, Stream
from tests.support.tables import tables
from tests.support.yard import Yard, scenario

BODY_MOST: Final = 8 * 1024 * 1024
ALIVE: Final = {"jsonrpc": "2.0", "method": "daemon.health", "id": "alive"}
NODE: Final = "0" * 26
INTERNALS: Final = ("Traceback", "pydantic", "orjson", ".py")
HEALTH: Final = {"jsonrpc": "2.0", "method": "daemon.health"}


class Way(Protocol):
    """One message out, its answer back; None when there is none."""

    def ask(self, raw: bytes) -> Any:
        """Send and read."""


class OverHttp:
    """One kept connection."""

    def __init__(self, daemon: Daemon) -> None:
        self.socket = RawSocket(daemon.socket)

    def ask(self, raw: bytes) -> Any:
        """Send a body; no content is no answer."""
        reply = self.socket.post(raw)
        assert (reply.status == 204) == (reply.body == b"")
        return reply.json

    def close(self) -> None:
        """Hang up."""
        self.socket.close()


class OverStream:
    """One WebSocket; silence is proven by the answer to what is sent right after."""

    def __init__(self, daemon: Daemon) -> None:
        self.stream = Stream(daemon.socket)

    def ask(self, raw: bytes) -> Any:
        """Send a frame, and a call behind it."""
        self.stream.send(raw)
        self.stream.send(encoded(ALIVE))
        first = json.loads(self.stream.receive())
        if isinstance(first, dict) and first.get("id") == "alive":
            return None
        assert json.loads(self.stream.receive())["id"] == "alive"
        return first

    def close(self) -> None:
        """Hang up."""
        self.stream.close()


def encoded(value: Any) -> bytes:
    """Write JSON."""
    return json.dumps(value).encode()


def call(method: str, params: Any = None, **more: Any) -> dict[str, Any]:
    """Make a call."""
    given = {} if params is None else {"params": params}
    return {"jsonrpc": "2.0", "method": method, **given, **more}


@pytest.fixture(scope="module")
def daemon() -> Iterator[Daemon]:
    """One daemon for all cases: that it goes on is half of what is shown."""
    with Daemon(config=tables()) as made:
        before = descriptors(made)
        yield made
        check_closing(made, descriptors_before=before)


@pytest.fixture(params=[OverHttp, OverStream])
def way(request: pytest.FixtureRequest, daemon: Daemon) -> Iterator[Way]:
    """Each case over both ways."""
    made = request.param(daemon)
    yield made
    made.close()


CASES: Final = {
    "invalid JSON": (b'{"jsonrpc": ', -32700, None),
    "empty body": (b"", -32700, None),
    "NaN": (b'{"jsonrpc":"2.0","method":"daemon.health","id":NaN}', -32700, None),
    "infinity in params": (
        b'{"jsonrpc":"2.0","method":"daemon.health","id":1,"params":{"a":Infinity}}',
        -32700,
        None,
    ),
    "ten thousand arrays": (b"[" * 10_000 + b"]" * 10_000, -32700, None),
    "[]": (b"[]", -32600, None),
    "1": (b"1", -32600, None),
    "null": (b"null", -32600, None),
    '"x"': (b'"x"', -32600, None),
    "no version": (encoded({"method": "daemon.health", "id": 1}), -32600, 1),
    "params as list": (encoded(call("subsession.steer", ["x"], id=2)), -32602, 2),
    "params as number": (encoded(call("daemon.health", 7, id=2)), -32600, 2),
    "unknown method": (encoded(call("no.such", id=3)), -32601, 3),
    "a private method": (encoded(call("__init__", id=3)), -32601, 3),
    "extra field": (
        encoded(call("subsession.node", {"nodeId": NODE, "x": 1}, id=4)),
        -32602,
        4,
    ),
    "wrong type": (encoded(call("subsession.node", {"nodeId": 5}, id=5)), -32602, 5),
    "id as list": (encoded(call("daemon.health", id=[])), -32600, None),
    "id as true": (encoded(call("daemon.health", id=True)), -32600, None),
}


@pytest.mark.scenario("S35")
@pytest.mark.parametrize("name", CASES)
def test_what_is_no_call_gets_its_standard_error(way: Way, name: str) -> None:
    """The code and the id the standard says, no internals, and the next call is served."""
    raw, code, call_id = CASES[name]
    answer = way.ask(raw)
    assert (answer["jsonrpc"], answer["error"]["code"], answer["id"]) == ("2.0", code, call_id)
    text = json.dumps(answer)
    assert [word for word in INTERNALS if word in text] == []
    assert way.ask(encoded({**HEALTH, "id": "next"}))["result"]["ok"] is True


@pytest.mark.scenario("S35")
@pytest.mark.parametrize("call_id", [None, 0, -1, 1.5, "", "x" * 500_000, 2**53 - 1])
def test_an_id_comes_back_as_it_was_sent(way: Way, call_id: Any) -> None:
    """Null is an id and is answered; so are fractions and very long texts."""
    answer = way.ask(encoded({**HEALTH, "id": call_id}))
    assert answer["id"] == call_id
    assert answer["result"]["ok"] is True


@pytest.mark.scenario("S35")
def test_a_batch_is_answered_call_by_call(way: Way) -> None:
    """One reply for each call and each piece of garbage, none for notifications, in any order."""
    batch = [{**HEALTH, "id": 1}, HEALTH, 7, {**HEALTH, "id": 1}, {"foo": "boo"}, []]
    answers = way.ask(encoded(batch))
    codes = sorted(a["error"]["code"] for a in answers if "error" in a)
    assert codes == [-32600, -32600, -32600]
    assert [a["id"] for a in answers if "result" in a] == [1, 1]
    assert way.ask(encoded([HEALTH, HEALTH])) is None


@pytest.mark.scenario("S35")
def test_of_repeated_keys_the_last_wins(way: Way) -> None:
    """A method and an id that stand twice are the last ones."""
    raw = b'{"jsonrpc":"2.0","method":"no.such","id":1,"method":"daemon.health","id":2}'
    answer = way.ask(raw)
    assert (answer["id"], answer["result"]["ok"]) == (2, True)


@pytest.mark.scenario("S35")
def test_the_limit_of_a_body_is_exact(daemon: Daemon) -> None:
    """A body of just the limit is read; one byte more is refused, and others go on."""
    frame = encoded({**ALIVE, "x": ""})
    for size, code in ((BODY_MOST, -32600), (BODY_MOST + 1, -32600)):
        body = encoded({**ALIVE, "x": "y" * (size - len(frame))})
        assert len(body) == size
        with RawSocket(daemon.socket) as socket:
            reply = socket.post(body)
        assert reply.status == (200 if size == BODY_MOST else 413)
        assert reply.json["error"]["code"] == code
    assert daemon.call("daemon.health")["ok"] is True


@pytest.mark.scenario("S35")
def test_a_notification_runs_every_check_and_gets_no_reply() -> None:
    """A spawn without an id is admitted or refused as any other, in silence."""
    with scenario(tables(live_per_parent=1)) as yard, RawSocket(yard.socket) as socket:
        good = call("subsession.spawn", order(yard))
        bad = call("subsession.spawn", {**order(yard), "role": "nobody"})
        assert socket.post(encoded(bad)).body == b""
        assert len(yard.daemon.rows()) == 1
        assert socket.post(encoded(good)).body == b""
        assert len(yard.daemon.rows()) == 2
        assert socket.post(encoded([good, good])).body == b""  # the cap holds in silence too
        assert len(yard.daemon.rows()) == 2


def order(yard: Yard) -> dict[str, Any]:
    """A spawn that is admitted."""
    return {
        "parentId": yard.root,
        "role": "check",
        "brief": {"mission": "work"},
        "argv": ["sleep", "600"],
    }


@pytest.mark.scenario("S35")
def test_a_report_over_its_limit_is_that_and_not_malformed() -> None:
    """Within the limit of a body, a huge and malformed report is REPORT_TOO_LARGE."""
    with scenario(tables()) as yard:
        child = yard.speaker()
        with RawSocket(yard.socket, child.token) as socket:
            for report in (
                {"output": [1] * 50_000},
                {"output": "x" * 7_000_000, "stage": "nonsense", "unknown": None},
            ):
                error = socket.error("subsession.report", **report)
                assert (error["code"], error["data"]["code"]) == (2001, "REPORT_TOO_LARGE")
                assert error["data"]["limit"] < error["data"]["actual"]
            error = socket.error("subsession.report", output=1)
            assert error["data"]["code"] == "REPORT_INVALID"
            assert socket.result("subsession.report", output="fine")["already"] is False
