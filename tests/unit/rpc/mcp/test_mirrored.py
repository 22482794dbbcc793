from typing import Any

import pytest
from multidict import CIMultiDict

from subsessiond.rpc.mcp.mirrored import MISMATCH, header_fault, is_by_request
from subsessiond.rpc.mcp.versions import BY_HANDSHAKE, BY_REQUEST, UNSUPPORTED

META = "io.modelcontextprotocol"
ENVELOPE = {f"{META}/protocolVersion": BY_REQUEST, f"{META}/clientCapabilities": {}}
LIST = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": ENVELOPE}}
CALL = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "tools/call",
    "params": {"name": "réport", "arguments": {}, "_meta": ENVELOPE},
}
OLD = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
NOTE = {"jsonrpc": "2.0", "method": "notifications/initialized"}


def headers(
    version: str | None = BY_REQUEST, method: str | None = "tools/list", name: str | None = None
) -> CIMultiDict[str]:
    """Give headers; none leaves one out."""
    rows = (("mcp-protocol-version", version), ("MCP-METHOD", method), ("Mcp-Name", name))
    return CIMultiDict((key, value) for key, value in rows if value is not None)


def code(given: CIMultiDict[str], message: Any) -> int | None:
    """Give the code of the fault."""
    fault = header_fault(given, message)
    return None if fault is None else int(fault["code"])


@pytest.mark.parametrize("version", [None, *BY_HANDSHAKE])
@pytest.mark.parametrize("message", [OLD, NOTE, [OLD, NOTE], "text", {"id": 1, "result": {}}])
def test_of_versions_with_a_handshake_nothing_is_repeated(version: str, message: Any) -> None:
    """Their messages come with a version that is spoken here, or with none."""
    given = headers(version, None)
    assert code(given, message) is None
    assert not is_by_request(given, message)


@pytest.mark.parametrize("version", ["2099-01-01", "", "x" * 5_000])
@pytest.mark.parametrize("message", [OLD, NOTE, [OLD], 7])
def test_a_version_that_is_not_spoken_is_told_what_is(version: str, message: Any) -> None:
    """Whatever is said in it; what was asked for is repeated in part at most."""
    fault = header_fault(headers(version, None), message)
    assert fault is not None
    assert fault["code"] == UNSUPPORTED
    assert BY_REQUEST in fault["data"]["supported"]
    assert len(fault["data"]["requested"]) <= 40


def test_what_agrees_is_taken() -> None:
    """Names that no header could hold come encoded."""
    assert code(headers(), LIST) is None
    assert is_by_request(headers(), LIST)
    encoded = headers(method="tools/call", name="=?base64?csOpcG9ydA==?=")
    assert code(encoded, CALL) is None
    assert code(headers(method=None), NOTE) is None


@pytest.mark.parametrize(
    "given",
    [
        headers(None),
        headers("2025-11-25"),
        headers("2099-01-01"),
        headers(method=None),
        headers(method="tools/call"),
        headers(method="TOOLS/LIST"),
        CIMultiDict([*headers().items(), ("Mcp-Method", "tools/list")]),
        CIMultiDict([*headers().items(), ("MCP-Protocol-Version", BY_REQUEST)]),
    ],
    ids=str,
)
def test_what_differs_is_refused(given: CIMultiDict[str]) -> None:
    """A header that is missing, says another thing, or stands there twice."""
    assert code(given, LIST) == MISMATCH


@pytest.mark.parametrize(
    "name", [None, "report", "=?base64?!!!?=", "=?base64?/w==?=", "=?base64?eA==?="]
)
def test_a_tool_is_named_twice_alike(name: str | None) -> None:
    """Once in the message, once in its header, whatever encodes it there."""
    assert code(headers(method="tools/call", name=name), CALL) == MISMATCH


@pytest.mark.parametrize(
    "meta",
    [
        None,
        "text",
        {},
        {f"{META}/protocolVersion": BY_REQUEST},
        {f"{META}/clientCapabilities": {}},
        {f"{META}/protocolVersion": 7, f"{META}/clientCapabilities": {}},
        {f"{META}/protocolVersion": BY_REQUEST, f"{META}/clientCapabilities": "all"},
    ],
    ids=str,
)
def test_what_a_request_must_say_of_itself_is_asked_for(meta: Any) -> None:
    """By its headers it is of the version that has no handshake to say it in."""
    fault = header_fault(headers(), LIST | {"params": {"_meta": meta}})
    assert fault is not None
    assert fault["code"] == -32602
    assert fault["data"]["fields"][0]["path"].startswith(f"_meta.{META}/")


def test_a_batch_is_of_older_versions() -> None:
    """No header could repeat what each of its messages says."""
    assert code(headers(), [LIST]) == -32600
