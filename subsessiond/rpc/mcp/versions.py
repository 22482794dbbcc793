"""Protocol versions: those that begin with a handshake, and the one in which each request says its.

Source: the Model Context Protocol, the versions below.
"""

from typing import Any, Final

from subsessiond.model.brief import FieldFault
from subsessiond.rpc.request import is_unicode

BY_HANDSHAKE: Final = ("2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05")
"""Newest first. What is used is alike in all; batches, which came and went, are taken of all."""

BY_REQUEST: Final = "2026-07-28"
"""Has no handshake: `server/discover` tells what there is, and each request names its version."""

SUPPORTED: Final = (BY_REQUEST, *BY_HANDSHAKE)
UNSUPPORTED: Final = -32022

_VERSION: Final = "io.modelcontextprotocol/protocolVersion"
_ABILITIES: Final = "io.modelcontextprotocol/clientCapabilities"
_SERVER: Final = "io.modelcontextprotocol/serverInfo"
_SHOWN: Final = 40


def negotiate(asked: Any) -> str:
    """Choose the version of a handshake: the one asked for, or the newest there is."""
    return asked if asked in BY_HANDSHAKE else BY_HANDSHAKE[0]


def version_of(params: dict[str, Any]) -> Any:
    """Give the version that a request names itself; none where there was a handshake."""
    meta = params.get("_meta")
    return meta.get(_VERSION) if isinstance(meta, dict) else None


def envelope_faults(params: dict[str, Any]) -> tuple[FieldFault, ...]:
    """List what a request of the version without a handshake must say of itself and does not."""
    meta = params.get("_meta")
    said = meta if isinstance(meta, dict) else {}
    wanted = ((_VERSION, str, "text"), (_ABILITIES, dict, "an object"))
    return tuple(
        FieldFault(path=f"_meta.{name}", problem=f"must be {kind}")
        for name, form, kind in wanted
        if not isinstance(said.get(name), form)
    )


def version_fault(version: Any) -> dict[str, Any] | None:
    """Give the error for a version that is not spoken here."""
    if version is None or version in SUPPORTED:
        return None
    data: dict[str, Any] = {"supported": list(SUPPORTED)}
    if isinstance(version, str) and is_unicode(version):  # a header may hold any bytes
        data["requested"] = version[:_SHOWN]
    return {"code": UNSUPPORTED, "message": "unsupported protocol version", "data": data}


def in_version(result: dict[str, Any], version: Any, server: dict[str, str]) -> dict[str, Any]:
    """Say an answer as the version of its request wants it.

    Args:
        result: As every other version has it.
        version: What the request named.
        server: Who answers.
    """
    if version != BY_REQUEST:
        return result
    said = {**result, "resultType": "complete"}
    if "content" not in result:
        # Why at once stale: what is listed depends on who asks, and on tables that are reloaded.
        said |= {"ttlMs": 0, "cacheScope": "private", "_meta": {_SERVER: server}}
    return said
