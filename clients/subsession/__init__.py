"""The client of the daemon: a library, a command line and an MCP shim.

`Client` and `AsyncClient` talk to the daemon, `child` is for a child's own process, `errors` holds
what can go wrong.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from subsession.async_client import AsyncClient
    from subsession.client import Client
    from subsession.errors import Refused, SubsessionError, Unanswered, Unreachable

__all__ = ["AsyncClient", "Client", "Refused", "SubsessionError", "Unanswered", "Unreachable"]


def __getattr__(name: str) -> Any:
    """Load what is asked for, and no more: the command line has to start at once."""
    homes = {"AsyncClient": "subsession.async_client", "Client": "subsession.client"}
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(homes.get(name, "subsession.errors")), name)
