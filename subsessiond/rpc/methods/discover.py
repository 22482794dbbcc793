"""`rpc.discover`: the contract as an OpenRPC document, as it is shipped."""

from functools import cache
from importlib.resources import files
from typing import Any

import msgspec

from subsessiond.rpc.call import Call
from subsessiond.rpc.desk import Desk
from subsessiond.wire.params import NoParams


async def discover(_desk: Desk, call: Call, _params: NoParams) -> msgspec.Raw:
    """Give the document; to a node without its schemas, which alone are past every bound."""
    return _whole() if call.caller.is_operator else _short()


@cache
def _whole() -> msgspec.Raw:
    return msgspec.Raw(msgspec.json.encode(_shipped()))


@cache
def _short() -> msgspec.Raw:
    shipped = _shipped()
    methods = [_named(method) for method in shipped["methods"]]
    short = {"openrpc": shipped["openrpc"], "info": shipped["info"], "methods": methods}
    return msgspec.Raw(msgspec.json.encode(short))


def _named(method: dict[str, Any]) -> dict[str, Any]:
    """Leave names, and what may be left out; a schema of true says nothing of the value."""
    params = [
        {"name": param["name"], "required": param["required"], "schema": True}
        for param in method["params"]
    ]
    return {
        "name": method["name"],
        "summary": method["summary"],
        "params": params,
        "result": {"name": "result", "schema": True},
    }


def _shipped() -> dict[str, Any]:
    text = files("subsessiond.wire").joinpath("openrpc.json").read_bytes()
    return msgspec.json.decode(text, type=dict[str, Any])
