"""What a method is given, and what it is."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

import msgspec
from pydantic import BaseModel

from subsessiond.model.commands import Caller
from subsessiond.rpc.connection import Connection


@dataclass(frozen=True, slots=True)
class Call:
    """One call, seen from its method."""

    caller: Caller
    connection: Connection | None = None
    """Where notifications can be pushed; none over plain HTTP."""


Handler = Callable[[Call, BaseModel], Awaitable[msgspec.Struct | msgspec.Raw | dict[str, Any]]]
"""Answers one method; raises `Refused`. A `msgspec.Raw` is sent as it is."""
