"""Runs one method on its parameters; whatever happens becomes a result or an error object."""

import asyncio
import secrets
from dataclasses import dataclass
from typing import Any

import msgspec
from pydantic import BaseModel
from structlog.typing import FilteringBoundLogger

from subsessiond.rpc.call import Call, Handler
from subsessiond.rpc.refused import Malformed, Refused
from subsessiond.wire.errors import INVALID_PARAMS, error_object, internal_error, malformed
from subsessiond.wire.faults import read_fields

_encode = msgspec.json.Encoder().encode


@dataclass(frozen=True, slots=True)
class Entry:
    """One row of the table that is dispatched by."""

    name: str
    params: type[BaseModel]
    run: Handler
    at_once: bool = False
    """Whether it nearly always answers without waiting, and sets no time limit before it waits."""


@dataclass(frozen=True, slots=True)
class Failure:
    """A call that is answered by an error."""

    error: dict[str, Any]


async def invoke(
    entry: Entry, call: Call, params: dict[str, Any], log: FilteringBoundLogger
) -> msgspec.Raw | Failure:
    """Answer one call.

    Returns:
        The result, already written as JSON, or the error object. Nothing of an exception's text
        reaches the caller: a bug is answered by an incident id, under which the log has the story.
    """
    fields = read_fields(entry.params, params)
    if isinstance(fields, tuple):
        return Failure(malformed(INVALID_PARAMS, fields))
    try:
        answer = await entry.run(call, fields)
        return answer if type(answer) is msgspec.Raw else msgspec.Raw(_encode(answer))
    except Refused as refused:
        return Failure(error_object(refused.rejection))
    except Malformed as fault:
        return Failure(malformed(INVALID_PARAMS, fault.faults))
    except asyncio.CancelledError:
        raise
    except Exception:  # the one place where a bug of any method ends
        incident = secrets.token_hex(8)
        log.exception("rpc.bug", incident=incident, method=entry.name)
        return Failure(internal_error(incident))
