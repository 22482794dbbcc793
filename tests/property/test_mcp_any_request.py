"""Whatever a client writes into headers and message, it is taken or told what is wrong with it."""

from typing import Any

import msgspec
from hypothesis import given
from hypothesis import strategies as st
from multidict import CIMultiDict

from subsessiond.rpc.mcp.messages import error, id_of
from subsessiond.rpc.mcp.mirrored import METHOD, NAME, VERSION, header_fault, is_by_request
from subsessiond.rpc.mcp.versions import SUPPORTED, version_of
from tests.property.test_mcp_any_message import anything, messages

# Why the odd ones: what is no UTF-8 in a header comes as unpaired surrogates.
words = st.sampled_from((*SUPPORTED, "tools/list", "tools/call", "report", "", "=?base64?eA==?="))
values = words | st.text(max_size=50) | st.just("\udcff=?base64?\udcff?=")
headers = st.lists(st.tuples(st.sampled_from((VERSION, METHOD, NAME)), values), max_size=4)


@given(headers, messages | anything | st.lists(messages, max_size=2))
def test_any_request_is_taken_or_told_why_not(rows: list[tuple[str, str]], message: Any) -> None:
    """And what is taken of the version without a handshake says the same in both places."""
    given_headers = CIMultiDict(rows)
    fault = header_fault(given_headers, message)
    if fault is not None:
        told = msgspec.json.decode(error(fault, id_of(message)))
        assert told["error"]["code"] in (-32020, -32022, -32600, -32602)
        return
    if is_by_request(given_headers, message) and isinstance(message, dict) and "id" in message:
        if "result" in message or "error" in message:
            return
        assert given_headers.getall(VERSION) == [version_of(message["params"])]
        assert given_headers.getall(METHOD) == [message["method"]]
